import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test, vi } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { guardProject } from "../../src/mastra/index.ts";
import { armHome } from "../support/armed-home.ts";
import { temporaryFolder } from "../support/cards.ts";
import { isRunning } from "../support/processes.ts";
import { callOf, catchPrinted, guardWith } from "./app.ts";

const GREETING = `echo '{"drwn":1,"totalMs":50000}'`;

test.each([
  ["the launcher is not there", "rm", "is not there"],
  ["the launcher complains", "echo 'drwn: the records are damaged' >&2; exit 2", "the records are damaged"],
  ["the launcher knows no state", "exit 3", "died"],
  ["the launcher has nothing in it", "", "died"],
  ["the launcher says that all is well, as any program does", "exit 0", "died"],
  ["the process dies", `${GREETING}; kill -9 $$`, "died"],
  ["the process ends", `${GREETING}; read line`, "died"],
  ["the process answers nonsense", `${GREETING}; read line; echo yes; read line`, "do not fit"],
  [
    "the process answers what is no answer",
    `${GREETING}; read line; echo '{"id":1,"answer":{"action":"go"}}'; read line`,
    "do not fit",
  ],
  ["the process is of another version", `echo '{"drwn":2,"totalMs":50000}'; read line; read line`, "do not fit"],
  ["no process lasts", `${GREETING}; read line; echo '{"id":1,"retired":true}'; read line`, "keeps being replaced"],
])("a call is refused where %s", async (_, script, why) => {
  catchPrinted();
  const guards = script === "rm" ? guardProject({ hook: "/nowhere/hook", project: "/" }) : guardWith(script);
  const refusal = await guards.hooks.beforeToolCall(callOf({}));
  expect(refusal).toEqual({ proceed: false, output: expect.stringContaining(why) });
  expect(await guards.hooks.afterToolCall(callOf({}))).toBeUndefined();
});

test.each([
  ["does not start", "read line; read line"],
  ["starts and does not answer", `${GREETING}; read line; read line`],
])("a process that %s is killed when the time is over, and the call is refused", async (_, script) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const guards = guardWith(script);
    const refusal = guards.hooks.beforeToolCall(callOf({}));
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    vi.advanceTimersByTime(60_000);
    expect(await refusal).toMatchObject({ output: expect.stringContaining("in time") });
  } finally {
    vi.useRealTimers();
  }
});

test("an app that is done ends, and the process ends with it, also when the app is killed", async () => {
  const armed = armHome([{ policy: "{ beforeToolCall() { return { action: 'deny', reason: 'pid' }; } }" }]);
  const place = JSON.stringify({ hook: layout.launcher(armed.home), project: armed.project });
  const script = `import { guardProject } from ${JSON.stringify(path.resolve("src/mastra/index.ts"))};
    const { hooks } = guardProject(${place});
    const { output } = await hooks.beforeToolCall({ toolName: "run", input: {}, context: {} });
    process.stdout.write(output + "\\n");
    if (process.argv[2] === "stay") setInterval(() => {}, 1000);`;
  const folder = temporaryFolder();
  const program = path.join(folder, "app.mjs");
  fs.writeFileSync(path.join(folder, "app.ts"), script);
  await build({
    entryPoints: [path.join(folder, "app.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
  });
  for (const way of ["leave", "stay"]) {
    const app = spawn(process.execPath, [program, way], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => app.stdout.once("data", resolve));
    if (way === "stay") app.kill("SIGKILL");
    await new Promise((resolve) => app.once("exit", resolve));
    const pid = Number(armed.journal().at(-1)?.["pid"]);
    expect(pid).toBeGreaterThan(0);
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 10_000 });
  }
});

test("a variable of Claude Code leads the process to no other project", async () => {
  const armed = armHome([{ policy: "{ beforeToolCall() { return { action: 'deny', reason: 'here' }; } }" }]);
  const guards = guardProject({ hook: layout.launcher(armed.home), project: armed.project });
  onTestFinished(guards.end);
  vi.stubEnv("CLAUDE_PROJECT_DIR", temporaryFolder());
  try {
    expect(await guards.hooks.beforeToolCall(callOf({}))).toMatchObject({ proceed: false });
  } finally {
    vi.unstubAllEnvs();
  }
});
