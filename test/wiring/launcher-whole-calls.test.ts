import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { hookCommand, isHookCommand } from "../../src/wiring/launcher.ts";
import { denying, from, writePrograms } from "../hook/launched.ts";
import { type ArmedHome, armHome } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";

/** Each program once: `sh` is mostly one of the others. */
const shells = ["sh", "dash", "bash"].filter((shell, at, all) => {
  const program = programOf(shell);
  return program !== "" && all.findIndex((other) => programOf(other) === program) === at;
});

/** Where the shell really lies; "": it is not installed. */
function programOf(shell: string): string {
  const place = spawnSync("sh", ["-c", 'command -v "$0"', shell], { encoding: "utf8" }).stdout.trim();
  return place === "" ? "" : fs.realpathSync(place);
}

describe.each(shells)("under %s", (shell) => {
  test.each(["-dash", `sp ace q'uo"te $HOME \`id\` back\\slash star*[a] größe\ttab`])(
    "a home and a project called %j work",
    (name) => {
      const armed = armHome([denying], { home: `${name}/home`, project: `${name}/project` });
      expect(reasonOf(armed.call({}, { shell }))).toBe("[@me/guards#guard-0] no");
      const outside = armed.call({}, { shell, ...from(armed.world) });
      expect([verdictOf(outside), outside.stderr]).toEqual(["silence", ""]);
    },
  );

  test("the launcher itself works", () => {
    const armed = armHome([denying]);
    const text = fs.readFileSync(layout.launcher(armed.home), "utf8");
    for (const name of ["hook", "hook.cjs"]) expect(fs.existsSync(path.join(armed.home, "bin", name))).toBe(true);
    expect(spawnSync(shell, ["-n", layout.launcher(armed.home)]).status).toBe(0);
    expect(text).not.toContain("__NODE__");
    const input = JSON.stringify({ tool_name: "Bash", tool_input: {} });
    const result = armed.run(`${shell} '${layout.launcher(armed.home)}' claude-code`, { input });
    expect(verdictOf(result)).toBe("deny");
  });

  test("a launcher that is missing blocks in every folder, in one line, and disturbs no result", () => {
    const armed = armHome([denying]);
    fs.rmSync(layout.launcher(armed.home));
    for (const folder of [armed.project, armed.world]) {
      const inside = armed.call({}, { runtime: "codex", shell, ...from(folder) });
      expect(verdictOf(inside)).toBe("block");
      expect(inside.stderr).toMatch(/^drwn: .*drwn write.*remove this hook.*$/mu);
    }
    expect(verdictOf(armed.call({}, { runtime: "codex", shell, phase: "post" }))).toMatch(/^exit 12[67]$/u);
  });
});

/** What can happen to the launcher: Claude Code's own words say so; others read what to run. */
const broken: [name: string, harm: (launcher: string) => void][] = [
  ["isn't there", (launcher) => fs.rmSync(launcher)],
  ["isn't executable", (launcher) => fs.chmodSync(launcher, 0o644)],
  ["is empty of sense", (launcher) => fs.writeFileSync(launcher, "#!/bin/sh\nexit 7\n")],
  [
    "says that a tool call may run, as an agent understands it",
    (launcher) => fs.writeFileSync(launcher, "#!/bin/sh\nexit 0\n"),
  ],
  ["is empty", (launcher) => fs.truncateSync(launcher)],
  ["is a folder", (launcher) => fs.rmSync(launcher) ?? fs.mkdirSync(launcher)],
  ["names a shell that is missing", (launcher) => fs.writeFileSync(launcher, "#!/nowhere/sh\n")],
];

test.each(broken)("a launcher that %s blocks every call", (_, harm) => {
  const armed = armHome([denying]);
  harm(layout.launcher(armed.home));
  for (const folder of [armed.project, armed.world]) {
    const result = armed.call({}, { runtime: "codex", ...from(folder) });
    expect([verdictOf(result), reasonOf(result)]).toEqual([
      "block",
      expect.stringContaining("drwn: the hook does not work"),
    ]);
  }
});

const deaths: [name: string, harm: (armed: ArmedHome) => void, says: string][] = [
  ["the hook process is missing", ({ home }) => fs.rmSync(layout.hook(home)), "drwn write"],
  ["the hook process does not parse", (armed) => writePrograms(armed, "this is no code"), "status 1"],
  ["the hook process exits otherwise", (armed) => writePrograms(armed, "process.exit(9)"), "status 9"],
  ["the hook process is killed", (armed) => writePrograms(armed, "process.kill(process.pid, 'SIGKILL')"), "status 137"],
  ["the hook process is empty", (armed) => writePrograms(armed, ""), "status 0"],
  ["the hook process ends without an answer", (armed) => writePrograms(armed, "process.exit(0)"), "status 0"],
  [
    "the hook process isn't a file",
    ({ home }) => {
      fs.rmSync(layout.hook(home));
      execFileSync("mkfifo", [layout.hook(home)]);
    },
    "is missing",
  ],
  ["the hook process aborts", (armed) => writePrograms(armed, "process.abort()"), "status 134"],
  ["the list of projects is gone", ({ home }) => fs.rmSync(layout.roots(home), { recursive: true }), "drwn write"],
  ["the marker is empty", ({ home, project }) => fs.writeFileSync(layout.marker(home, project), ""), "drwn write"],
  [
    "the marker isn't a file",
    ({ home, project }) => {
      fs.rmSync(layout.marker(home, project));
      execFileSync("mkfifo", [layout.marker(home, project)]);
    },
    "drwn write",
  ],
  [
    "the marker is a path",
    ({ home, project }) => fs.writeFileSync(layout.marker(home, project), "../../x\n"),
    "drwn write",
  ],
  [
    "the marker is too long",
    ({ home, project }) => fs.writeFileSync(layout.marker(home, project), "a".repeat(65)),
    "drwn write",
  ],
  [
    "the marker names another project",
    ({ home, project }) => fs.writeFileSync(layout.marker(home, project), "abc\n"),
    "drwn trust",
  ],
];

test.each(deaths)(
  "when %s, calls in the project are blocked with one line; after a call, and elsewhere, nothing is disturbed",
  (_, harm, says) => {
    const armed = armHome([denying]);
    harm(armed);
    const result = armed.call();
    expect(["block", "deny"]).toContain(verdictOf(result));
    expect(reasonOf(result)).toContain(says);
    expect(reasonOf(result).match(/drwn: /gu) ?? []).toHaveLength(verdictOf(result) === "block" ? 1 : 0);
    expect(verdictOf(armed.call({}, { phase: "post" }))).toBe("silence");
    const outside = armed.call({}, from(armed.world));
    expect(verdictOf(outside)).toBe("silence");
    expect(outside.stderr).not.toContain("drwn: ");
  },
);

test("a record of the project that never ends is read for two seconds, and blocks", () => {
  const armed = armHome([denying]);
  const marker = layout.marker(armed.home, armed.project);
  fs.writeFileSync(marker, "");
  fs.truncateSync(marker, 2 ** 40);
  const result = armed.call();
  expect(verdictOf(result)).toBe("block");
});

test("a launcher that was cut short anywhere does not say that it did its work, and decides nothing", () => {
  const armed = armHome([denying]);
  const launcher = layout.launcher(armed.home);
  const text = fs.readFileSync(launcher, "utf8");
  // The first line alone is a whole program, which does nothing.
  const lengths = Array.from({ length: 40 }, (_, more) => "#!/bin/sh\n".length + 1 + more);
  for (let length = 60; length < text.length - 2; length += 211) lengths.push(length);
  for (const length of lengths) {
    fs.writeFileSync(launcher, text.slice(0, length));
    const { status } = spawnSync("/bin/sh", [launcher, "claude-code", "pre"], { cwd: armed.project, input: "" });
    expect([length, status]).toEqual([length, expect.toBeOneOf([2, 3])]);
  }
});

describe("the command in an agent's settings", () => {
  const home = "/home/o'brien/.agents/drwn";
  const command = hookCommand({ home, runtime: "claude-code", phase: "pre" });

  test("is one line, the same every time, and recognised as ours", () => {
    expect(command).not.toContain("\n");
    expect(command).toBe(hookCommand({ home, runtime: "claude-code", phase: "pre" }));
    expect(isHookCommand(command, home)).toBe(true);
    expect(isHookCommand(hookCommand({ home, runtime: "codex", phase: "post" }), home)).toBe(true);
  });

  test.each([
    "",
    "echo drwn_hook",
    `echo; ${command}`,
    "/home/o'brien/.agents/drwn/bin/hook claude-code pre",
    "/bin/hook",
  ])("is not mistaken for %j", (other) => {
    expect(isHookCommand(other, home)).toBe(false);
    expect(isHookCommand(command, "/home/other/.agents/drwn")).toBe(false);
  });
});
