import fs from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import type { Grant } from "../../src/contract/ledger.ts";
import { verifyJournal } from "../../src/journal/verify.ts";
import { armGlobal } from "../support/armed-home.ts";
import { isRunning } from "../support/processes.ts";
import { callOf, catchPrinted, guardApp } from "./app.ts";

const saying = (decision: string): string => `{ beforeToolCall() { return ${decision}; } }`;
const denyTouch = `{ beforeToolCall({ input }) {
  if (input.command.includes("touch")) return { action: "deny", reason: "not here" };
} }`;

describe("before a tool call", () => {
  test("what a policy denies is refused with its reason, and everything else runs; each call is in the journal", async () => {
    const app = guardApp([{ policy: denyTouch }]);
    const refusal = { proceed: false, output: "[@me/guards#guard-0] not here" };
    expect(await app.before({ command: "touch x" })).toEqual(refusal);
    expect(await app.before({ command: "ls" })).toBeUndefined();
    expect(app.journal()).toMatchObject([
      { runtime: "mastra", tool: "run", verdict: "deny", effective: "deny" },
      { runtime: "mastra", tool: "run", verdict: "allow", effective: "allow" },
    ]);
  });

  test("a policy can put anything in the place of the result", async () => {
    const policy = `{ beforeToolCall({ input }) {
      return { action: "deny", reason: "no", syntheticOutput: input.output };
    } }`;
    const app = guardApp([{ policy }]);
    for (const output of ["text", { rows: [] }, null, 0, "\n\u2028"]) {
      expect(await app.before({ output })).toEqual({ proceed: false, output });
    }
  });

  test("a rewrite changes the object that the tool is run with, whatever its fields are called", async () => {
    const next = '{ command: "pwd", ["__proto__"]: { a: 1 }, nested: { list: [1, null] } }';
    const policy = `{ beforeToolCall({ input }) {
      if (input.command === "ls") return { action: "allow", updatedInput: ${next} };
    } }`;
    const app = guardApp([{ policy }]);
    const input = { command: "ls", gone: true };
    expect(await app.before(input)).toBeUndefined();
    expect(JSON.stringify(input)).toBe('{"command":"pwd","__proto__":{"a":1},"nested":{"list":[1,null]}}');
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
  });

  test("an input that cannot be changed is not run as it was", async () => {
    const app = guardApp([{ policy: saying('{ action: "allow", updatedInput: { command: "pwd" } }') }]);
    expect(await app.before(Object.freeze({ command: "ls" }))).toMatchObject({ proceed: false });
  });

  test("what the policies judged is what runs: an input that changes meanwhile is refused", async () => {
    const app = guardApp([{ policy: denyTouch }]);
    const input = { command: "ls" };
    const judged = app.before(input);
    input.command = "touch x";
    expect(await judged).toMatchObject({ output: expect.stringContaining("changed") });
  });

  test("an input that isn't a JSON object blocks: no policy could judge it", async () => {
    const app = guardApp([{ policy: saying("undefined") }]);
    for (const input of [undefined, null, 1, ["ls"], { command: 1n }, () => {}, circle()]) {
      expect(await app.before(input)).toMatchObject({ proceed: false });
    }
  });

  test("policies know the workspace's tools by the names of other agents, and sub-agents as Agent", async () => {
    const app = guardApp([{ policy: saying('{ action: "deny", reason: "no" }'), matcher: "{Bash,Agent}" }]);
    expect(await app.before({ command: "ls" }, "mastra_workspace_execute_command")).toBeDefined();
    expect(await app.before({ prompt: "go" }, "agent-clerk")).toBeDefined();
    expect(await app.before({}, "mastra_workspace_read_file")).toBeUndefined();
  });

  test("a policy sees the call, the agent and the session", async () => {
    const policy = `{ beforeToolCall({ runtime, cwd, sessionId, metadata }) {
      return { action: "deny", reason: JSON.stringify([runtime, cwd, sessionId, metadata]) };
    } }`;
    const app = guardApp([{ policy }]);
    const requestContext = new Map([["sessionId", "s-1"]]);
    const call = { ...callOf({}), context: { toolCallId: "call-7", requestContext } };
    const refusal = await app.guards.hooks.beforeToolCall(call);
    const metadata = { tool_call_id: "call-7", agent_id: "a", agent_name: "A" };
    expect(refusal?.output).toContain(JSON.stringify(["mastra", process.cwd(), "s-1", metadata]));
  });
});

function circle(): object {
  const one: Record<string, unknown> = {};
  one["self"] = one;
  return one;
}

describe("a policy that does not do its work", () => {
  test.each([
    ["throws", 'throw new Error("broken");', []],
    ["never ends", "for (;;);", []],
    ["never answers", "return new Promise(() => {});", []],
    ["never ends, in a process that may do more", "for (;;);", ["env"]],
    ["ends its process", "process.kill(process.pid, 9);", []],
    ["answers nonsense", 'return { action: "alow" };', []],
  ] as const)("blocks where it %s, and the next call is judged", async (_, body, capabilities) => {
    catchPrinted();
    const policy = `{ beforeToolCall({ input }) { if (input.bad) { ${body} } } }`;
    const app = guardApp([{ policy, timeoutMs: 1_000, capabilities: [...capabilities] }]);
    expect(await app.before({ bad: true })).toMatchObject({ proceed: false });
    expect(await app.before({})).toBeUndefined();
  });

  test("finds nothing of an earlier call: what it kept would let every other one through", async () => {
    const policy =
      "{ beforeToolCall({ input }) { if (RULE.test(input.command)) return { action: 'deny', reason: 'no' }; } }";
    const app = guardApp([{ policy, top: "const RULE = /rm/g;" }]);
    for (let i = 0; i < 3; i++) expect(await app.before({ command: "rm" })).toBeDefined();
  });
});

test("calls at once are judged apart, and the journal holds together", async () => {
  const policy = `{ async beforeToolCall({ input }) {
    await new Promise((resolve) => setTimeout(resolve, input.wait));
    return { action: "deny", reason: "call " + input.at };
  } }`;
  const app = guardApp([{ policy }, { policy: denyTouch, card: "@other/guards" }]);
  const calls = Array.from({ length: 8 }, (_, at) => app.before({ at, command: "ls", wait: (8 - at) * 10 }));
  const outputs = (await Promise.all(calls)).map((refusal) => refusal?.output);
  expect(outputs).toEqual(outputs.map((_, at) => `[@me/guards#guard-0] call ${at}`));
  expect(new Set(app.journal().map(({ pid }) => pid)).size).toBe(1);
  expect(verifyJournal({ home: app.home, key: app.key, expected: undefined })).toMatchObject({ faults: [] });
});

describe("consent", () => {
  const withGrants = (app: ReturnType<typeof guardApp>, change: (grant: Grant) => Grant): void =>
    app.writeLedger({ ...app.ledger, grants: app.ledger.grants.map(change) });

  test("that is withdrawn ends with the next call, and one that is damaged blocks it, in the same process", async () => {
    const app = guardApp([{ policy: denyTouch }]);
    const call = { command: "touch x" };
    expect(await app.before(call)).toMatchObject({ output: expect.stringContaining("not here") });
    withGrants(app, (grant) => ({ ...grant, revokedAt: "2026-01-01T00:00:00.000Z" }));
    expect(await app.before(call)).toBeUndefined();
    app.writeLedger("nonsense");
    expect(await app.before(call)).toMatchObject({ output: expect.stringContaining("malformed") });
    app.writeLedger({ ...app.ledger, pausedUntil: new Date(Date.now() + 60_000).toISOString() });
    expect(await app.before(call)).toBeUndefined();
    app.writeLedger(app.ledger);
    fs.appendFileSync(app.planFile, " ");
    expect(await app.before(call)).toMatchObject({ output: expect.stringContaining("altered") });
    expect(new Set(app.journal().map(({ pid }) => pid)).size).toBe(1);
  });

  test("that nobody has given lets calls through, and counts from the call after it is given", async () => {
    const app = guardApp([{ policy: denyTouch }]);
    const marker = layout.marker(app.home, app.project);
    const key = fs.readFileSync(marker);
    const places = layout.inodes(app.home);
    fs.rmSync(marker);
    fs.renameSync(places, `${places}-away`);
    expect(await app.before({ command: "touch x" })).toBeUndefined();
    fs.writeFileSync(marker, key);
    fs.renameSync(`${places}-away`, places);
    expect(await app.before({ command: "touch x" })).toBeDefined();
  });
});

describe("the process that answers", () => {
  test("is started again for the next call when it was killed", async () => {
    catchPrinted();
    const app = guardApp([{ policy: denyTouch }]);
    await app.before({ command: "ls" });
    const first = app.answering();
    process.kill(first, "SIGKILL");
    // The call that is under way meanwhile may be refused; none is let through.
    await app.before({ command: "ls" });
    expect(await app.before({ command: "touch x" })).toMatchObject({ output: expect.stringContaining("not here") });
    expect(app.answering()).not.toBe(first);
    expect(isRunning(first)).toBe(false);
  });

  test("can be ended by the app, and is there again for the next call", async () => {
    const app = guardApp([{ policy: denyTouch }]);
    await app.before({ command: "ls" });
    const first = app.answering();
    const open = app.before({ command: "touch x" });
    app.guards.end();
    expect(await open).toMatchObject({ output: expect.stringContaining("not here") });
    await vi.waitFor(() => expect(isRunning(first)).toBe(false), { timeout: 10_000 });
    expect(await app.before({ command: "touch x" })).toMatchObject({ output: expect.stringContaining("not here") });
  });

  test("hears of a consent for every folder, and of the project's beside that, from the call after it is given", async () => {
    const app = guardApp([{ policy: saying('{ action: "deny", reason: "of the project" }') }]);
    const marker = layout.marker(app.home, app.project);
    const place = layout.inodeRecord(app.home, String(fs.statSync(app.project).ino));
    const records = [marker, place].map((file) => [file, fs.readFileSync(file)] as const);
    for (const [file] of records) fs.rmSync(file);
    expect(await app.before({ command: "ls" })).toBeUndefined();
    armGlobal(app, [{ policy: denyTouch, card: "@me/floor" }]);
    expect(await app.before({ command: "touch x" })).toMatchObject({ output: "[@me/floor#guard-0] not here" });
    expect(await app.before({ command: "ls" })).toBeUndefined();
    for (const [file, bytes] of records) fs.writeFileSync(file, bytes);
    expect(await app.before({ command: "ls" })).toMatchObject({ output: "[@me/guards#guard-0] of the project" });
    expect(await app.before({ command: "touch x" })).toMatchObject({ output: "[@me/floor#guard-0] not here" });
  });

  test("hands over when drwn was replaced, and no call is lost", async () => {
    const app = guardApp([{ policy: denyTouch }]);
    await app.before({ command: "ls" });
    const first = app.answering();
    const program = layout.hook(app.home);
    fs.writeFileSync(`${program}.new`, fs.readFileSync(program));
    fs.renameSync(`${program}.new`, program);
    expect(await app.before({ command: "ls" })).toBeUndefined();
    expect(await app.before({ command: "touch x" })).toMatchObject({ output: expect.stringContaining("not here") });
    expect(app.answering()).not.toBe(first);
  });
});

describe("after a tool call", () => {
  const telling = (body: string, top = "") => ({
    policy: `{ afterToolCall(event) { ${body} } }`,
    phases: ["post-tool" as const],
    top,
  });

  test("policies are told of the result and of failures, and the journal has it", async () => {
    const app = guardApp([
      telling("if (event.output !== 3 && event.error?.message !== 'lost') throw new Error('what?');"),
    ]);
    await app.guards.hooks.afterToolCall({ ...callOf({}), output: 3 });
    await app.guards.hooks.afterToolCall({ ...callOf({}), error: new TypeError("lost") });
    expect(app.journal()).toMatchObject([{ policies: [{ decision: "none" }] }, { policies: [{ decision: "none" }] }]);
  });

  test("a result that isn't JSON is told of all the same", async () => {
    const app = guardApp([telling("")]);
    for (const output of [1n, circle(), undefined, () => {}]) {
      await app.guards.hooks.afterToolCall({ ...callOf({}), output });
    }
    expect(app.journal()).toHaveLength(4);
  });

  test("nothing that goes wrong reaches the result: not the policy, not the consent, not the call itself", async () => {
    const printed = catchPrinted();
    const app = guardApp([telling("throw new Error('broken');")]);
    await app.guards.hooks.afterToolCall({ ...callOf({}), output: 3 });
    app.writeLedger("nonsense");
    await app.guards.hooks.afterToolCall({ ...callOf({}), output: 3 });
    await app.guards.hooks.afterToolCall({ ...callOf(1n), output: 3 });
    // What the process complains of comes by another pipe than its answer.
    await vi.waitFor(() => expect(printed()).toContain("malformed"), { timeout: 20_000 });
  });
});

describe("with hooks of the app", () => {
  test("those see the call first, and the policies judge what they leave", async () => {
    const app = guardApp([{ policy: denyTouch }]);
    const rewriting = app.guards.withHooks({
      beforeToolCall: ({ input }) => Object.assign(input as object, { command: "touch x" }),
    });
    expect(await rewriting.beforeToolCall(callOf({ command: "ls" }))).toBeDefined();
    const refusing = app.guards.withHooks({ beforeToolCall: () => ({ proceed: false, output: "mine" }) });
    expect(await refusing.beforeToolCall(callOf({ command: "ls" }))).toEqual({ proceed: false, output: "mine" });
    expect(app.journal()).toHaveLength(1);
  });

  test("those see the result, too", async () => {
    const app = guardApp([{ policy: denyTouch }]);
    const seen: unknown[] = [];
    const hooks = app.guards.withHooks({ afterToolCall: ({ output }) => seen.push(output) });
    await hooks.afterToolCall({ ...callOf({}), output: 3 });
    expect(seen).toEqual([3]);
  });
});
