import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { digestOf } from "../../src/kernel/digest.ts";
import { endWaiting, findWaiting, setWarm } from "../../src/wiring/waiting.ts";
import { type ArmedHome, write } from "../support/armed-home.ts";
import { eventOf, reasonOf, verdictOf } from "../support/hook-calls.ts";
import { isRunning } from "../support/processes.ts";
import { armWarmHome, callWarm, findStarted, nextWaiting, startCall, timeless } from "../support/warm-homes.ts";

const POLICY = `{ beforeToolCall: ({ toolInput, input }) => {
  const { command = "" } = input ?? toolInput;
  console.log("seen");
  if (command === "slow") return new Promise((resolve) => setTimeout(() => resolve(undefined), 3_000));
  if (command.startsWith("rm")) return { action: "deny", reason: "no \\n removing" };
} }`;
let armed: ArmedHome;

beforeAll(() => {
  armed = armWarmHome([{ policy: POLICY, timeoutMs: 10_000 }]);
  armed.call();
});
afterAll(() => setWarm(armed.home, false));

const bash = (command: string) => ({ tool_input: { command } });

test.each([
  ["a call that is let through", bash("ls")],
  ["a call that is denied", bash("rm -rf /")],
  ["a call of 200 kB", bash(`rm ${"x".repeat(200_000)}`)],
  ["an event that isn't one", { tool_name: 7 }],
])("%s gets the same from a process that was there as from one that is started", async (_, event) => {
  const { warm, line: warmLine } = await callWaiting(event);
  setWarm(armed.home, false);
  const cold = armed.call(event);
  setWarm(armed.home, true);
  const [coldLine] = armed.journal().slice(-1);
  armed.call();
  expect(warm).toEqual(cold);
  expect(timeless(warmLine)).toEqual(timeless(coldLine));
});

/** On a busy machine the launcher starts a process of its own, as it should: then the call is made again. */
async function callWaiting(event: Record<string, unknown>, home = armed) {
  for (let tries = 0; ; tries++) {
    const { pid } = await nextWaiting(home);
    const warm = home.call(event);
    const [line] = home.journal().slice(-1);
    if (line?.["pid"] === pid || (isHandedOn(event) && !isRunning(pid))) return { warm, line };
    if (tries === 4) throw new Error("no call of five was answered by the process that waited");
  }
}

/** An event that is too large for a process of foretold hashes is judged by the one that comes after it. */
function isHandedOn(event: object): boolean {
  return JSON.stringify(event).length > 32_768;
}

test("a process waits for calls where V8 has kept no code, too", async () => {
  const own = armWarmHome([{ policy: POLICY, timeoutMs: 10_000 }]);
  for (const name of fs.readdirSync(`${own.home}/bin`)) {
    if (/\.(?:foretold|brief|long)$/u.test(name)) fs.rmSync(`${own.home}/bin/${name}`);
  }
  own.call();
  expect(verdictOf((await callWaiting(bash("rm x"), own)).warm)).toBe("deny");
  setWarm(own.home, false);
});

/** `drwn write` tells the launcher last of a plan that one process is enough for, and may be killed before it does. */
test.each([
  ["a small call", "rm x"],
  ["a large call", `rm ${"x".repeat(200_000)}`],
])("%s after another plan came into force is judged by that plan, and so is the next", async (_, command) => {
  const own = armWarmHome([{ policy: POLICY, timeoutMs: 10_000 }]);
  own.call();
  await nextWaiting(own);
  const text = `${fs.readFileSync(own.planFile, "utf8")} `;
  const plan = digestOf(text);
  write(layout.plan(own.home, own.key, plan), text);
  own.writeLedger({ ...own.ledger, plan });
  for (const times of [1, 2]) {
    const result = own.call(bash(command));
    expect([times, reasonOf(result)]).toEqual([times, expect.stringContaining("[@me/guards#guard-0] no")]);
  }
  setWarm(own.home, false);
});

test("a process answers one call, and the next is another", async () => {
  const first = await nextWaiting(armed);
  await callWarm(armed, bash("ls"));
  expect((await nextWaiting(armed)).pid).not.toBe(first.pid);
});

test.each([
  ["dead", (pid: number) => process.kill(pid, "SIGKILL")],
  ["stopped", (pid: number) => process.kill(pid, "SIGSTOP")],
])("a process that is %s isn't waited for: the call starts its own", async (_, harm) => {
  const { pid } = await nextWaiting(armed);
  harm(pid);
  expect(verdictOf(armed.call(bash("rm x")))).toBe("deny");
  expect(armed.journal().at(-1)).not.toMatchObject({ pid });
  if (isRunning(pid)) process.kill(pid, "SIGKILL");
});

test("a process that is killed while it judges blocks the call", async () => {
  const { pid, readyFile } = await nextWaiting(armed);
  const call = startCall(armed, bash("slow"));
  await expect.poll(() => fs.existsSync(readyFile), { timeout: 60_000 }).toBe(false);
  process.kill(pid, "SIGKILL");
  expect(await call).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("the hook process died") });
});

test("an event that its launcher didn't send to the end isn't judged", async () => {
  const { slot, readyFile, pid } = await nextWaiting(armed);
  const [, id] = fs.readFileSync(readyFile, "utf8").split(/[ \n]/u);
  const word = fs.openSync(`${slot}/word`, fs.constants.O_RDWR);
  const event = fs.openSync(`${slot}/in`, "w");
  fs.writeSync(event, `ring ${id} pre 1 ${randomUUID()}\n`);
  await expect.poll(() => fs.existsSync(readyFile), { timeout: 60_000 }).toBe(false);
  fs.writeSync(event, `go\n${JSON.stringify({ ...eventOf("pre", armed.project), ...bash("ls") })}`);
  fs.closeSync(event);
  await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false);
  fs.closeSync(word);
  expect(armed.journal().at(-1)).toMatchObject({
    pid,
    verdict: "deny",
    problem: expect.stringContaining("was cut short"),
  });
  armed.call();
});

test("what waits for longer than it may ends, and leaves nothing behind", async () => {
  const file = layout.warmProgram(armed.home);
  const was = fs.readFileSync(file, "utf8");
  await nextWaiting(armed);
  endWaiting(armed.home);
  fs.writeFileSync(file, was.replaceAll("ready:900", "ready:1"));
  armed.call();
  await expect.poll(() => findStarted(armed).length, { timeout: 60_000, interval: 5 }).toBe(1);
  await expect.poll(() => findStarted(armed), { timeout: 60_000 }).toEqual([]);
  fs.writeFileSync(file, was);
  expect(verdictOf(armed.call(bash("rm x")))).toBe("deny");
});

test("what is still starting when others are told to end doesn't stay", async () => {
  const { slot } = await nextWaiting(armed);
  endWaiting(armed.home);
  await expect.poll(() => findStarted(armed), { timeout: 60_000 }).toEqual([]);
  armed.call();
  await expect.poll(() => findStarted(armed).length, { timeout: 60_000, interval: 1 }).toBe(1);
  fs.writeFileSync(`${slot}/taken`, "");
  await expect.poll(() => findStarted(armed), { timeout: 60_000 }).toEqual([]);
  armed.call();
});

test("what waits ends when it is told to, and nothing waits where the folder is gone", async () => {
  armed.call();
  const { pid } = await nextWaiting(armed);
  endWaiting(armed.home);
  await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false);
  setWarm(armed.home, false);
  armed.call();
  expect(findWaiting(armed.home)).toEqual([]);
});
