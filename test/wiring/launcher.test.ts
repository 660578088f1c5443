import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { packageFile } from "../../src/kernel/package-file.ts";
import { hookCommand, isHookCommand, renderLauncher } from "../../src/wiring/launcher.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";

const HOMES = ["plain", "with space", "it's", "$(touch hit)", "`touch hit`", '"double"', "back\\slash", "-dash"];

function run(command: string, { cwd, env = {} }: { cwd: string; env?: Record<string, string> }) {
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

function homeWith(script: string | null, name = "home"): string {
  const home = path.join(temporaryFolder(), name);
  for (const folder of ["bin", "roots"]) fs.mkdirSync(path.join(home, folder), { recursive: true });
  if (script !== null) fs.writeFileSync(path.join(home, "bin/hook"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return home;
}

const project = () => writeTree(temporaryFolder(), { ".agents/drwn/config.json": "{}", "a/b/file": "" });

test.each(HOMES)("below a folder called %s the command starts the launcher, and nothing else", (name) => {
  const home = homeWith('echo "$*"; exit 100', name);
  const cwd = temporaryFolder();
  const command = hookCommand({ home, runtime: "claude-code", phase: "pre" });
  expect(run(command, { cwd })).toEqual({ status: 0, stdout: "claude-code pre 100 in:\n", stderr: "" });
  expect(fs.readdirSync(cwd)).toEqual([]);
  expect(isHookCommand(command, home)).toBe(true);
  expect(isHookCommand(command, `${home}x`)).toBe(false);
});

test.each([
  [100, 0],
  [2, 2],
])("where the launcher ends with %i, the command ends with %i", (ended, status) => {
  const command = hookCommand({ home: homeWith(`echo said; exit ${ended}`), runtime: "claude-code", phase: "pre" });
  expect(run(command, { cwd: project() })).toMatchObject({ status, stdout: "said\n" });
});

const FAILURES: [string, string | null][] = [
  ["is missing", null],
  ["fails", "exit 1"],
  ["has nothing in it", ""],
  ["says that all is well, as any program does", "exit 0"],
  ["is killed", "kill -9 $$"],
  ["is not found half-way", "exit 127"],
];

test.each(FAILURES)(
  "where the launcher %s, a call in a drwn project is blocked, and one elsewhere is not",
  (_, script) => {
    const home = homeWith(script);
    const pre = hookCommand({ home, runtime: "claude-code", phase: "pre" });
    const root = project();
    for (const cwd of [root, path.join(root, "a/b")]) {
      const { status, stderr } = run(pre, { cwd });
      expect(status).toBe(2);
      expect(stderr).toMatch(/^drwn: .*run: drwn write/imu);
    }
    expect(run(pre, { cwd: "/", env: { CLAUDE_PROJECT_DIR: path.join(root, "a") } }).status).toBe(2);
    expect(run(pre, { cwd: temporaryFolder() })).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining("drwn:"),
    });
    expect(run(hookCommand({ home, runtime: "claude-code", phase: "post" }), { cwd: root }).status).toBe(0);
  },
);

test("a launcher that may not be run counts as missing", () => {
  const home = homeWith("exit 0");
  fs.chmodSync(path.join(home, "bin/hook"), 0o644);
  expect(run(hookCommand({ home, runtime: "claude-code", phase: "pre" }), { cwd: project() }).status).toBe(2);
});

test.each(HOMES)("a Node in a folder called %s is written into the launcher as one word", (name) => {
  const folder = path.join(temporaryFolder(), name);
  writeTree(folder, { node: "#!/bin/sh\necho it ran\n" });
  fs.chmodSync(path.join(folder, "node"), 0o755);
  const line = renderLauncher('node=__NODE__; "$node"', { nodePath: path.join(folder, "node") });
  expect(run(line, { cwd: temporaryFolder() })).toEqual({ status: 0, stdout: "it ran\n", stderr: "" });
});

test("a special pattern of JavaScript's replace in a path stays what it is", () => {
  expect(renderLauncher("__NODE__", { nodePath: "/a/$&/$1/node" })).toBe("'/a/$&/$1/node'");
});

test("the launcher that comes with drwn is a script that a shell accepts, with no place left open", () => {
  const template = fs.readFileSync(packageFile("templates/launcher.sh"), "utf8");
  const script = renderLauncher(template, { nodePath: process.execPath });
  expect(script).not.toContain("__NODE__");
  expect(spawnSync("/bin/sh", ["-n"], { input: script, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
});
