import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { snapshot } from "../support/machine-state.ts";
import { codexHooks, runCodex, shell, trustHooks, withCodexOnPath } from "./codex.ts";
import { addGuard, diagnose, drwn, drwnBinary, here, journal } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { askAlways, askIrreversible, denyFile, denyTouch, REASON } from "./policies.ts";
import { runProcess } from "./process.ts";
import type { Script } from "./wire-format.ts";

inNewWorlds();
beforeEach(() => fs.mkdirSync(path.join(world.home, ".codex")));

/** A project that is guarded in Codex. */
async function armCodex(policy: string, ...consent: string[]): Promise<void> {
  await addGuard(world, policy);
  await here(world, "card", "trust", "@me/guard", "--hooks", "--yes", ...consent);
  await here(world, "write", "--runtime", "codex");
}

/** Codex doesn't mention errors, so what a call left behind shows that it ran. */
const has = (file: string): boolean => world.has(file);

test.each<[string, string, string[], boolean]>([
  ["blocks where the consent says so", askAlways, ["--ask-fallback", "deny"], false],
  ["blocks if it is about what can't be undone", askIrreversible, [], false],
  ["falls through all the same where the consent says so", askIrreversible, ["--ask-fallback", "allow"], true],
])("an ask, which Codex cannot carry, %s", async (_, policy, consent, runs) => {
  await armCodex(policy, ...consent);
  await runCodex(world, { steps: shell("touch ran.txt") });
  expect(has("ran.txt")).toBe(runs);
});

/** Uses a model to which Codex offers its patch tool. */
function runPatches(...texts: string[]) {
  const steps = texts.map((input) => ({ tool: "apply_patch", input }));
  return runCodex(world, { model: "gpt-5.5", steps: [...steps, { text: "done" }] });
}

const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");

/** Patches that end in secret.txt, by what they do. */
const PATCHES: readonly [string, string][] = [
  ["adds", patch("*** Add File: secret.txt", "+x")],
  ["adds by a way around", patch("*** Add File: a/../secret.txt", "+x")],
  ["renames something to", patch("*** Update File: other.txt", "*** Move to: secret.txt", "@@", "-one", "+two")],
  [
    "adds behind white space that JavaScript does not know",
    patch("*** Add File: b", "+x", "\u0085*** Add File: secret.txt", "+x"),
  ],
  ["adds with such white space behind its name", patch("*** Add File: secret.txt\u0085", "+x")],
  ["adds by a way around with a separator of lines", patch("*** Add File: b\u2028/../secret.txt", "+x")],
];

test("a policy on Write sees a patch that adds a file, or renames something to it, however it is written, and no other", async () => {
  world.write("other.txt", "one\n");
  await armCodex(denyFile("secret.txt"));
  const fine = patch("*** Add File: fine.txt", "+x");
  const { results } = await runPatches(...PATCHES.map(([, text]) => text), fine);
  const told = results.map(({ text }, at) => [PATCHES[at]?.[0], text.includes(REASON)]);
  expect(told).toEqual([...PATCHES.map(([what]) => [what, true]), [undefined, false]]);
  expect([has("secret.txt"), world.read("fine.txt")]).toEqual([false, "x\n"]);
});

test("a policy on Write sees a patch that is typed into the shell in another folder", async () => {
  world.write("sub/other.txt", "one\n");
  await armCodex(denyFile("sub/secret.txt"));
  const text = patch("*** Add File: secret.txt", "+x");
  const { results } = await runCodex(world, { steps: shell(`cd sub && apply_patch <<'E'\n${text}E`) });
  expect([has("sub/secret.txt"), results[0]?.text]).toEqual([false, expect.stringContaining(REASON)]);
});

test("hooks that the user has not trusted do not run, and write and doctor say what to do", async () => {
  await armCodex(denyTouch);
  await runCodex(world, { steps: shell("touch ran.txt"), bypassTrust: false });
  expect(has("ran.txt")).toBe(true);
  const env = withCodexOnPath(world);
  const run = (...args: string[]) =>
    runProcess({ program: process.execPath, args: [drwnBinary, ...args, "--json"], cwd: world.project, env });
  const doctor = JSON.parse((await run("doctor")).stdout);
  const untrusted = { code: "codex-hook-untrusted", hint: expect.stringContaining("/hooks") };
  expect(doctor.findings).toContainEqual(expect.objectContaining(untrusted));
  expect(JSON.parse((await run("write")).stdout).findings).toContainEqual(expect.objectContaining(untrusted));
});

test("hooks that the user has trusted run, also after the next write, and doctor is content", async () => {
  await armCodex(denyTouch);
  await runCodex(world, { steps: shell("true"), bypassTrust: false });
  await trustHooks(world);
  await here(world, "write");
  expect((await codexHooks(world)).map(({ trustStatus }) => trustStatus)).toEqual(["trusted"]);
  const before = snapshot(path.join(world.home, ".codex"));
  const { findings } = await diagnose(world, withCodexOnPath(world));
  expect(findings.filter(({ code }) => code.startsWith("codex-"))).toEqual([]);
  expect(snapshot(path.join(world.home, ".codex"))).toEqual(before);
  await runCodex(world, { steps: shell("touch ran.txt"), bypassTrust: false });
  expect(has("ran.txt")).toBe(false);
});

test("where the launcher has nothing in it, the call is blocked", async () => {
  await armCodex(denyTouch);
  world.emptyLauncher();
  const { results } = await runCodex(world, { steps: shell("touch ran.txt") });
  expect([has("ran.txt"), results[0]?.text]).toEqual([false, expect.stringContaining("the hook does not work")]);
});

test("a session in a subfolder is guarded, and one outside is not", async () => {
  await armCodex(denyTouch);
  const outside = path.join(world.folder, "outside");
  for (const folder of [world.at("deep/er"), outside]) fs.mkdirSync(folder, { recursive: true });
  await runCodex(world, { steps: shell("touch ran.txt"), cwd: world.at("deep/er") });
  await runCodex(world, { steps: shell("touch ran.txt"), cwd: outside });
  expect([has("deep/er/ran.txt"), fs.existsSync(path.join(outside, "ran.txt"))]).toEqual([false, true]);
});

test("after untrust the same call runs without a new write", async () => {
  await armCodex(denyTouch);
  await drwn(world, "card", "untrust", "@me/guard", "--hooks");
  await runCodex(world, { steps: shell("touch ran.txt") });
  expect(has("ran.txt")).toBe(true);
});

test("no hook is told what Codex types into a running shell, and status and the review say so", async () => {
  await addGuard(world, denyTouch);
  const review = await drwn(world, "card", "trust", "@me/guard", "--hooks", "--yes", "--runtime", "codex");
  await here(world, "write", "--runtime", "codex");
  const typed = await runCodex(world, { steps: typing("bash") });
  expect([typed.results.length, has("ran.txt")]).toEqual([2, true]);
  expect((await journal(world)).filter(({ phase }) => phase === "pre-tool").map(({ tool }) => tool)).toEqual(["Bash"]);
  expect(review.stderr).toContain("Codex asks no hook about text that it types into a running shell (`write_stdin`)");
  expect((await drwn(world, "status")).stdout).toContain("Codex asks no hook about text");
});

test("@drwn/exec denies what waits for what is typed", async () => {
  await here(world, "init");
  await here(world, "add", "@drwn/exec");
  await here(world, "card", "trust", "@drwn/exec", "--hooks", "--yes");
  await here(world, "write", "--runtime", "codex");
  for (const command of ["bash", "python3 -i", "cat | sh"]) {
    const { results } = await runCodex(world, { steps: typing(command) });
    expect([command, results[0]?.text]).toEqual([command, expect.stringContaining("No guard sees what is typed")]);
    expect([command, has("ran.txt")]).toEqual([command, false]);
  }
});

/** Opens a session, and types a command into it. Codex says its number when it opens it. */
function typing(cmd: string): Script {
  return ([opened]) => {
    const open = { tool: "exec_command", input: { cmd, tty: true, yield_time_ms: 500 } };
    const session_id = Number(/session ID (\d+)/u.exec(opened?.text ?? "")?.[1] ?? 0);
    return [open, { tool: "write_stdin", input: { session_id, chars: "touch ran.txt\n" } }, { text: "done" }];
  };
}
