import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { allTargets } from "../../src/agents/targets.ts";
import type { PolicyPhase } from "../../src/contract/ledger.ts";
import { STATUS_FD } from "../../src/contract/protocol.ts";
import { packageFile } from "../../src/kernel/files.ts";
import { EVENTS } from "../../src/policy/lifecycle-events.ts";
import { hookCommand, hookStart, isHookCommand, renderLauncher } from "../../src/wiring/launcher.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";

const TEMPLATE = fs.readFileSync(packageFile("templates/launcher.sh"), "utf8");
const [, VALUES = ""] = /^(# Values of this machine\n.*# End of values\n)/msu.exec(TEMPLATE) ?? [];

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

test.each(HOMES)("below a folder called %s the entry starts the launcher, and nothing else", (name) => {
  const home = homeWith('echo "$*"; exit 100', name);
  const cwd = temporaryFolder();
  const line = hookCommand({ home, runtime: "codex", phase: "pre" });
  expect(run(line, { cwd })).toEqual({ status: 0, stdout: "codex pre 100\n", stderr: "" });
  const { program, args } = hookStart({ home, runtime: "claude-code", phase: "pre" });
  expect(spawnSync(program, args, { cwd, encoding: "utf8" })).toMatchObject({
    status: 100,
    stdout: "claude-code pre\n",
  });
  expect(fs.readdirSync(cwd)).toEqual([]);
  for (const command of [line, program]) {
    expect([home, `${home}x`].map((one) => isHookCommand(command, one))).toEqual([true, false]);
  }
});

test.each([
  [100, 0],
  [2, 2],
])("where the launcher ends with %i, the line ends with %i, and adds nothing", (ended, status) => {
  const line = hookCommand({ home: homeWith(`echo said; exit ${ended}`), runtime: "codex", phase: "pre" });
  expect(run(line, { cwd: "/" })).toEqual({ status, stdout: "said\n", stderr: "" });
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
  "where the launcher %s, what can be held is held, and one sentence says what to run",
  (_, script) => {
    const home = homeWith(script);
    for (const phase of ["pre", "prompt.submit"] as const) {
      const { status, stderr } = run(hookCommand({ home, runtime: "codex", phase }), { cwd: "/" });
      expect([status, stderr.match(/^drwn: .*Run: drwn write.*remove this hook/gmu)]).toEqual([
        2,
        [expect.any(String)],
      ]);
    }
    const refusal = `{"decision":"deny"}`;
    const told = run(hookCommand({ home, runtime: "gemini-cli", phase: "prompt.submit", fallbackAnswer: refusal }), {
      cwd: "/",
    });
    expect([told.status, told.stdout]).toEqual([0, `${refusal}\n`]);
  },
);

test.each(["launcher", "refusal"])(
  "what an agent puts in the place of variables changes no line that ends in a %s",
  (kind) => {
    const home = homeWith("exit 3");
    const request = { home, runtime: "gemini-cli", phase: "prompt.submit" } as const;
    const line = hookCommand({ ...request, ...(kind === "refusal" && { fallbackAnswer: "{}" }) });
    // As Gemini CLI does it with all texts of its settings: here every variable exists.
    const replaced = line.replaceAll(/\$(?:\w+|\{[^}]+\})/gu, "100");
    expect(run(replaced, { cwd: "/" })).toEqual(run(line, { cwd: "/" }));
    expect(replaced).toBe(line);
  },
);

test("a launcher that may not be run counts as missing", () => {
  const home = homeWith("exit 100");
  fs.chmodSync(path.join(home, "bin/hook"), 0o644);
  expect(run(hookCommand({ home, runtime: "codex", phase: "pre" }), { cwd: "/" }).status).toBe(2);
});

test("the longest entry has at most 300 characters beside the path of drwn's home, which may be long", () => {
  const home = temporaryFolder();
  const host = { cwd: home, home, env: {}, drwnHome: `${home}/.agents/drwn` };
  const phases = [...Object.keys(EVENTS), "pre-tool", "post-tool"] as PolicyPhase[];
  const wants = [{ matcher: null, phases }];
  const place = {
    host,
    root: `${home}/project`,
    wiring: "project",
    shared: "put",
    originalOf: () => undefined,
  } as const;
  const written = allTargets().flatMap(({ planHooks }) => planHooks({ ...place, own: wants, others: wants }).changes);
  const entries = written.flatMap(({ path: file, after }) =>
    [...String(after).matchAll(/"(?:[^"\\\n]|\\.)*\/bin\/hook(?:[^"\\\n]|\\.)*"/gu)].map(([text]) => ({
      file: path.basename(file),
      text: JSON.parse(text).replaceAll(host.drwnHome, ""),
    })),
  );
  expect(new Set(entries.map(({ file }) => file)).size).toBeGreaterThan(5);
  expect(entries.filter(({ text }) => text.length > 300)).toEqual([]);
});

test.each([...HOMES, "two\nlines=1"])(
  "a Node in a folder called %j is written into the launcher as one word",
  (name) => {
    const folder = path.join(temporaryFolder(), name);
    writeTree(folder, { node: "#!/bin/sh\necho it ran\n" });
    fs.chmodSync(path.join(folder, "node"), 0o755);
    const line = renderLauncher(`${VALUES}"$node"\n`, { nodePath: path.join(folder, "node") });
    expect(run(line, { cwd: temporaryFolder() })).toEqual({ status: 0, stdout: "it ran\n", stderr: "" });
  },
);

test("a special pattern of JavaScript's replace in a path stays what it is", () => {
  expect(renderLauncher(VALUES, { nodePath: "/a/$&/$1/node" })).toContain("node='/a/$&/$1/node'\n");
});

test("a template with another value than `write` knows makes no launcher", () => {
  const template = VALUES.replace("loader=", "other=");
  expect(() => renderLauncher(template, { nodePath: "/usr/bin/node" })).toThrow("names other values");
});

test("the launcher listens where a confined process says that it has answered", () => {
  expect(TEMPLATE).toContain(`$(run "$@" ${STATUS_FD}>&1 >&6)`);
});

test.each([
  ["as it comes with drwn", TEMPLATE],
  ["as `write` puts it", renderLauncher(TEMPLATE, { nodePath: process.execPath })],
])("the launcher, %s, is a script that a shell accepts", (_, script) => {
  expect(spawnSync("/bin/sh", ["-n"], { input: script, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
});
