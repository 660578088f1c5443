import { beforeAll, describe, expect, test } from "vitest";
import { SystemMachine, whyNoMachine } from "../support/system-machine.ts";

const CARD = "@drwn/cloud";
const DENIED = "terraform destroy -auto-approve";

const why = whyNoMachine();

/** Every verb about a project: only root may change things with it, but anybody may ask. */
const CHANGING: readonly (readonly string[])[] = [
  ["add", CARD],
  ["install"],
  ["update"],
  ["outdated"],
  ["card", "trust", CARD, "--hooks", "--yes"],
  ["write"],
  ["pause", "--end"],
  ["card", "untrust", CARD],
  ["remove", CARD],
  ["uninstall"],
];
const READING: readonly (readonly string[])[] = [
  ["list"],
  ["status"],
  ["doctor"],
  ["why", CARD],
  ["why"],
  ["log"],
  ["log", "--verify"],
  ["write", "--check"],
  ["explain", "--tool", "Bash", "--input", JSON.stringify({ command: DENIED })],
];

describe.skipIf(why !== undefined)(`each verb in each scope (${why ?? "run as root"})`, { timeout: 120_000 }, () => {
  let floor: SystemMachine;
  beforeAll(() => {
    floor = new SystemMachine();
    floor.drwn("add", "--system", "--trust", "--yes", CARD);
    floor.drwnAsNobody("add", "--global", "--trust", "--yes", CARD);
    floor.call(DENIED);
  }, 120_000);

  test.each(READING.map((words) => [words.join(" "), words] as const))("`%s` tells everybody of root's", (_, words) => {
    const said = floor.drwnAsNobody(...words, "--system");
    if (said.status !== 0) expect(said.stderr).toMatch(/^hint: .*drwn .*--system/mu);
    else expect(said.stdout + said.stderr).not.toMatch(/drwn (?!.*--system)(?:card trust|write|update)/u);
    expect([0, 1, 3]).toContain(floor.drwnAsNobody(...words, "--global").status);
  });

  test.each(CHANGING.map((words) => [words.join(" "), words] as const))(
    "`%s` changes what root's has, for root",
    (_, words) => {
      const verb = words.slice(0, words[0] === "card" ? 2 : 1).join(" ");
      const refused = floor.drwnAsNobody(...words, "--system");
      expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining(`hint: sudo drwn ${verb} --system`) });
      expect(floor.copy().drwn(...words, "--system")).toMatchObject({ status: 0 });
      expect(floor.drwnAsNobody(...words, "--global")).toMatchObject({ status: 0 });
    },
  );

  test("a pause is root's, at a terminal, said by `status`, and ends", () => {
    const machine = floor.copy();
    expect(machine.drwnAtTerminal("pause", "--system", "--minutes", "5").status).toBe(0);
    expect(machine.call(DENIED).stdout).not.toContain('"deny"');
    expect(machine.drwnAsNobody("status", "--system", "--check")).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(/^NOT GUARDED in .*the hook policies of the system scope are paused/mu),
    });
    expect(machine.drwn("pause", "--system", "--end").status).toBe(0);
    expect(machine.call(DENIED).stdout).toContain('"deny"');
  });
});
