import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { snapshot } from "../../support/machine-state.ts";
import { newPerson, publishGuard, succeed, type TestPerson } from "../../support/people.ts";
import { isRunning } from "../../support/processes.ts";
import { sweep } from "../../support/sweep.ts";

interface Row {
  /** What `claude` on PATH does. */
  script: string;
  /** What the first line of `write` and `doctor` says. */
  first: RegExp;
  /** Of `doctor`. */
  status: number;
}

const NOT_ASKED =
  /asked Claude Code whether it loads this file, and got no answer within ten seconds, or none that drwn knows/u;
/** What the program prints reaches no terminal. */
const UNCLEAN = /[\u0000\u001b]|login/u;
const UNASKED: Omit<Row, "script"> = { first: /^Guarded: Claude Code/u, status: 0 };

const ROWS: Record<string, Row> = {
  "is too old": {
    script: `echo "2.1.100 (Claude Code)"`,
    first:
      /^NOT GUARDED in Claude Code: before 2\.1\.295 Claude Code doesn't do what drwn's entry says .*claude update/u,
    status: 3,
  },
  "prints garbage": { ...UNASKED, script: String.raw`printf '\033[2J\000{"type":\n99.99\n'; head -c 100000 /dev/zero` },
  hangs: { ...UNASKED, script: "exec sleep 600" },
  crashes: { ...UNASKED, script: "kill -SEGV $$" },
  "asks for a login": {
    ...UNASKED,
    script: `echo "Invalid API key · Please run /login"; read -r answer < /dev/tty; exit 1`,
  },
};

/** Everything of the person's own: of the agent's folder, of the project and of home, without drwn's state and entry. */
function ownFiles({ home, project }: TestPerson): Record<string, string> {
  const entry = path.join(".claude", "settings.json");
  const own = ([name]: [string, string]) => !name.startsWith(".agents") && name !== entry;
  return Object.fromEntries([home, project].flatMap((at) => Object.entries(snapshot(at)).filter(own)));
}

test.each(sweep(Object.entries(ROWS), 2))(
  "`write` and `doctor` end where the installed claude %s, and say what that comes to",
  async (_, { script, first, status }) => {
    const person = newPerson();
    const settings = path.join(person.home, ".claude/settings.json");
    publishGuard(person);
    for (const line of ["init", "add @me/one --trust --yes"]) succeed(await person.here(line));
    const entry = fs.readFileSync(settings, "utf8");
    const before = ownFiles(person);
    const program = path.join(person.home, "../programs/claude");
    fs.writeFileSync(program, `#!/bin/sh\necho $$ >> "$0.started"\n${script}\n`, { mode: 0o755 });
    // Only a `write` that changes a file of the agent's asks its program.
    fs.rmSync(settings);
    const written = person.drwn("write");
    const diagnosed = person.drwn("doctor");
    for (const { stdout } of [written, diagnosed]) expect(stdout.split("\n")[0]).toMatch(first);
    expect(diagnosed.stdout).toMatch(NOT_ASKED);
    expect([written.status, diagnosed.status]).toEqual([0, status]);
    expect(written.stdout + diagnosed.stdout).not.toMatch(UNCLEAN);
    const started = fs.readFileSync(`${program}.started`, "utf8").trim().split("\n").map(Number);
    expect(started.filter(isRunning)).toEqual([]);
    expect(ownFiles(person)).toEqual(before);
    expect(fs.readFileSync(settings, "utf8")).toBe(entry);
  },
  60_000,
);

test("agents that hang are waited for together, for ten seconds", async () => {
  const person = newPerson();
  fs.mkdirSync(path.join(person.home, ".codex"));
  publishGuard(person);
  for (const line of ["init", "add @me/one --trust --yes"]) succeed(await person.here(line));
  for (const name of ["claude", "codex"]) {
    fs.writeFileSync(path.join(person.home, "../programs", name), "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
  }
  const began = performance.now();
  const { stdout } = person.drwn("doctor");
  expect(performance.now() - began).toBeLessThan(20_000);
  for (const words of [NOT_ASKED, /Codex did not say whether it trusts the hook/u]) expect(stdout).toMatch(words);
}, 60_000);
