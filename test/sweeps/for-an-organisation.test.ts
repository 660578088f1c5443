import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { SystemMachine, whyNoMachine } from "../support/system-machine.ts";

const GUIDE = path.resolve(import.meta.dirname, "../../docs/guides/for-an-organisation.md");
const COMMAND = "ansible.builtin.command";

interface Task {
  name: string;
  [COMMAND]: string;
  register?: string;
  when?: string;
}

const why = whyNoMachine();

test.skipIf(why !== undefined)(
  `the guide's tasks guard every user, and find nothing to do when they run again (${why ?? "run as root"})`,
  { timeout: 60_000 },
  () => {
    const [, text = ""] = /^```text drawing\n(- name: [\s\S]*?)^```$/mu.exec(fs.readFileSync(GUIDE, "utf8")) ?? [];
    const tasks: Task[] = parse(text.replace("{{ guards_contents }}", "GUARDS_CONTENTS"));
    const machine = new SystemMachine();
    expect(run(machine, tasks)).toEqual([0, 0, 3, 0, 0]);
    expect(run(machine, tasks)).toEqual([0, 0, 0, null, 0]);
    expect(machine.call("cat .env").stdout).toContain('"deny"');
  },
);

/** Runs tasks as Ansible does; null: it was skipped. */
function run(machine: SystemMachine, tasks: readonly Task[]): (number | null)[] {
  let hasWork = true;
  return tasks.map(({ [COMMAND]: command, register, when }) => {
    if (when === "guards.rc == 3" && !hasWork) return null;
    const words = command.split(" ").slice(1);
    const contents = words.includes("GUARDS_CONTENTS") ? contentsOf(machine) : "";
    const { status } = machine.drwn(...words.map((word) => (word === "GUARDS_CONTENTS" ? contents : word)));
    if (register === "guards") hasWork = status === 3;
    return status;
  });
}

/** The content's digest as somebody saw it in the review. */
function contentsOf(machine: SystemMachine): string {
  const { stdout } = machine.drwn("card", "show", "@drwn/secrets", "--json");
  const [, digest = ""] = /(drwn1-sha512-[\w-]+)/u.exec(stdout) ?? [];
  return digest;
}
