import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isRunning } from "../../../support/processes.ts";
import { fire, handlerToml, hookToml, readNotes, verdictOf, workspace } from "../world.ts";

const CONTINUE = { action: "continue" };
const note = (what: string, fields = {}) => hookToml(`printf '%s' ${what} >> notes`, fields);

test("A15, A17: lower priorities run first, negative ones before all", async () => {
  const root = workspace({
    "a/HOOK.toml": note("a", { priority: 200 }),
    "b/HOOK.toml": note("b"),
    "c/HOOK.toml": note("c", { priority: -5 }),
    "d/HOOK.toml": note("d", { priority: 5 }),
  });
  await fire(root);
  expect(readNotes(root)).toBe("cdba");
});

test("A16: equal priorities run in the order in which they are found", async () => {
  const root = workspace({ "b/HOOK.toml": note("b"), "a/HOOK.toml": note("a"), "HOOK.toml": note("z") });
  await fire(root);
  expect(readNotes(root)).toBe("abz");
});

const matched = (matcher: object) => hookToml("echo block: matched", { matcher });
test.each([
  [
    "A18: a glob",
    matched({ type: "glob", pattern: "fs_*" }),
    ["fs_read", "fs_", "fs_a/b"],
    ["FS_read", "a_fs_read", ""],
  ],
  ["A18: a glob with a class", matched({ type: "glob", pattern: "[!a-c]?l" }), ["shl", "d.l"], ["all", "l"]],
  ["A18: a glob in braces", matched({ type: "glob", pattern: "{shell,mcp:{a,b}}*" }), ["shell2", "mcp:b"], ["mcp:c"]],
  ["A18: a glob with an escape", matched({ type: "glob", pattern: "a\\*.b" }), ["a*.b"], ["ax.b", "a*xb"]],
  ["A19: a regex, anywhere", matched({ type: "regex", pattern: "ell" }), ["shell", "cello"], ["sh"]],
  ["A19: a regex with anchors", matched({ type: "regex", pattern: "^(rm|dd)$" }), ["rm"], ["rmdir"]],
  ["A20: names of tools", matched({ type: "tool_names", names: ["rm", "dd"] }), ["rm", "dd"], ["rmdir", "RM"]],
])("%s", async (_, toml, hits, misses) => {
  for (const tool of hits) {
    expect.soft(await verdictOf([toml], { data: { tool_name: tool } }), tool).toMatchObject({ action: "block" });
  }
  for (const tool of misses)
    expect.soft(await verdictOf([toml], { data: { tool_name: tool } }), tool).toEqual(CONTINUE);
});

test("A21: names of servers are whole names of the server that has the tool", async () => {
  const toml = matched({ type: "server_names", names: ["git"] });
  const verdict = (server_name: string) => verdictOf([toml], { data: { tool_name: "git", server_name } });
  expect(await verdict("git")).toMatchObject({ action: "block" });
  expect(await verdict("github")).toEqual(CONTINUE);
});

test("A22: a hook with a matcher does not run where there is no tool", async () => {
  const toml = hookToml("echo block: ran", { event: "session_start", matcher: { type: "glob", pattern: "*" } });
  expect(await verdictOf([toml], { event: "session_start", data: {} })).toEqual(CONTINUE);
});

test("A24: a hook that does not match stops nobody, whatever its failure would be", async () => {
  const skipped = hookToml("exit 1", { fail_action: "block", matcher: { type: "tool_names", names: ["other"] } });
  expect(await verdictOf([skipped, hookToml("echo 'ask: sure?'")])).toMatchObject({ action: "ask" });
});

test("a glob of many stars takes no time", async () => {
  const toml = matched({ type: "glob", pattern: `${"a*".repeat(40)}b` });
  expect(await verdictOf([toml], { data: { tool_name: "a".repeat(2000) } })).toEqual(CONTINUE);
});

test("A25: a command reads the event with its seven keys", async () => {
  const root = workspace({ "a/HOOK.toml": hookToml("cat > notes") });
  await fire(root, "pre_tool_call", { data: { tool_name: "shell", arguments: { command: "ls" } } });
  const read = JSON.parse(readNotes(root));
  expect(read).toEqual({
    invocation_id: expect.stringMatching(/^[\da-f-]{36}$/u),
    event: "pre_tool_call",
    session_id: null,
    user_id: null,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
    data: { tool_name: "shell", arguments: { command: "ls" } },
    previous_results: [],
  });
});

test("A26: the event is in its variables, too", async () => {
  const root = workspace({ "a/HOOK.toml": hookToml("env | sort > notes; cat > input") });
  await fire(root, "pre_tool_call", { sessionId: "7c1f5b1e-0000-4000-8000-000000000001" });
  const { invocation_id, timestamp } = JSON.parse(readNotes(root, "input"));
  const variables = readNotes(root).split("\n");
  expect(variables.filter((line) => line.startsWith("ASTRID_"))).toEqual([
    'ASTRID_HOOK_DATA={"tool_name":"shell"}',
    "ASTRID_HOOK_EVENT=pre_tool_call",
    `ASTRID_HOOK_ID=${invocation_id}`,
    `ASTRID_HOOK_TIMESTAMP=${timestamp}`,
    "ASTRID_SESSION_ID=7c1f5b1e-0000-4000-8000-000000000001",
  ]);
});

test("A26: what is not known has no variable", async () => {
  const root = workspace({ "a/HOOK.toml": hookToml("env > notes", { event: "kernel_start" }) });
  await fire(root, "kernel_start", { data: {} });
  expect(readNotes(root)).not.toMatch(/ASTRID_(?:HOOK_DATA|SESSION_ID|USER_ID)/u);
});

test("A27: no shell expands the arguments", async () => {
  const toml = handlerToml({ type: "command", command: "echo", args: ["block: $ASTRID_HOOK_EVENT", "*"] });
  expect(await verdictOf([toml])).toEqual({ action: "block", reason: "$ASTRID_HOOK_EVENT *" });
});

test("A28, A29: a hook's own variables are there, those that lead programs astray and those of others are not", async () => {
  const env = { LEVEL: "strict", PATH: "/evil", LD_PRELOAD: "/evil.so", npm_config_registry: "x", HOME: "/evil" };
  const handler = { type: "command", command: "sh", args: ["-c", "env > notes"], env };
  const root = workspace({ "a/HOOK.toml": handlerToml(handler) });
  const { faults } = await fire(root);
  const variables = readNotes(root);
  expect(variables).toMatch(/^LEVEL=strict$/mu);
  expect(variables).toMatch(/^PATH=\/usr\/bin:\/bin:\/usr\/local\/bin$/mu);
  expect(variables).toMatch(/^HOME=\/home\/somebody$/mu);
  expect(variables).toMatch(/^LANG=C$/mu);
  expect(variables).not.toMatch(/evil|npm_config|SECRET|s3cret/u);
  const dropped = ["HOME", "LD_PRELOAD", "PATH", "npm_config_registry"];
  expect(faults.every(({ isNote }) => isNote)).toBe(true);
  expect(faults.map(({ what }) => what).sort()).toEqual(
    dropped.map((name) => `handler.env.${name} is not passed on: no hook sets it`),
  );
});

test("A30: a command runs in the workspace, or where it says", async () => {
  const inside = handlerToml({ type: "command", command: "sh", args: ["-c", "pwd > here"], working_dir: "sub" });
  const root = workspace({ "a/HOOK.toml": hookToml("pwd > here"), "b/HOOK.toml": inside });
  fs.mkdirSync(path.join(root, "sub"));
  await fire(root);
  expect([readNotes(root, "here"), readNotes(root, "sub/here")]).toEqual([`${root}\n`, `${root}/sub\n`]);
});

test("A31: a hook sees what those before it said, and their changes are not in its data", async () => {
  const root = workspace({
    "a/HOOK.toml": hookToml(`echo '{"action":"continue_with","modifications":{"tool_name":"other"}}'`),
    "b/HOOK.toml": hookToml("exit 1"),
    "c/HOOK.toml": hookToml("cat > notes"),
  });
  await fire(root);
  expect(JSON.parse(readNotes(root))).toMatchObject({
    data: { tool_name: "shell" },
    previous_results: [{ action: "continue_with", modifications: { tool_name: "other" } }],
  });
});

const said = (json: unknown) => hookToml(`echo '${JSON.stringify(json)}'`);
test.each([
  ["A32: nothing", hookToml(":"), CONTINUE],
  ["A32: white space", hookToml("echo; echo ' '"), CONTINUE],
  ["A33: continue", hookToml("echo continue"), CONTINUE],
  ["A33: CONTINUE", hookToml("echo CONTINUE"), CONTINUE],
  [
    "A34: block: with a reason",
    hookToml("echo 'block: Policy Violation'"),
    { action: "block", reason: "Policy Violation" },
  ],
  ["A35: BLOCK: without a space", hookToml("echo BLOCK:x"), { action: "block", reason: "x" }],
  ["a reason of two lines", hookToml("echo 'block: a'; echo b"), { action: "block", reason: "a\nb" }],
  ["A36: ask:", hookToml("echo 'Ask: Really?'"), { action: "ask", question: "Really?", default: null }],
  ["A37: JSON continue", said(CONTINUE), CONTINUE],
  ["A37: JSON block", said({ action: "block", reason: "No" }), { action: "block", reason: "No" }],
  ["A37: JSON ask", said({ action: "ask", question: "Q" }), { action: "ask", question: "Q", default: null }],
  [
    "A37: JSON ask with a default",
    said({ action: "ask", question: "Q", default: "y" }),
    { action: "ask", question: "Q", default: "y" },
  ],
  [
    "A37: JSON continue_with",
    said({ action: "continue_with", modifications: { a: 1 } }),
    { action: "continue_with", modifications: { a: 1 } },
  ],
  ["A38: free text", hookToml("echo '[ASTRID] a tool was called'; echo 'block: later'"), CONTINUE],
  ["A40: further keys", said({ action: "block", reason: "No", level: 3 }), { action: "block", reason: "No" }],
])("%s", async (_, toml, verdict) => {
  expect(await verdictOf([toml])).toEqual(verdict);
});

test.each([
  ["JSON that is none", 'echo \'{"action":"block"\''],
  ["an unknown action", 'echo \'{"action":"deny","reason":"x"}\''],
  ["an action in capitals", 'echo \'{"action":"Block","reason":"x"}\''],
  ["a block without a reason", 'echo \'{"action":"block"}\''],
  ["an ask without a question", 'echo \'{"action":"ask"}\''],
  ["a default that isn't text", 'echo \'{"action":"ask","question":"q","default":1}\''],
  ["modifications that are no object", 'echo \'{"action":"continue_with","modifications":[1]}\''],
  ["two documents", 'echo \'{"action":"continue"}\'; echo \'{"action":"block","reason":"x"}\''],
  ["100 MB", "head -c 100000000 /dev/zero | tr '\\0' x"],
])("A39: %s is a failure", async (_, script) => {
  expect(await verdictOf([hookToml(script)])).toEqual(CONTINUE);
  expect(await verdictOf([hookToml(script, { fail_action: "block" })])).toMatchObject({ action: "block" });
});

test("A41, A43: a failure lets the operation go on, with a warning or silently", async () => {
  const root = (fail_action: string) =>
    workspace({ "a/HOOK.toml": hookToml("echo why >&2; exit 1", { name: "guard", fail_action }) });
  const warned = await fire(root("warn"));
  expect([warned.result, warned.warnings]).toEqual([CONTINUE, ["hook guard failed: Command exited with code 1: why"]]);
  const ignored = await fire(root("ignore"));
  expect([ignored.result, ignored.warnings]).toEqual([CONTINUE, []]);
});

test.each([
  ["A42: exit 1", "exit 1", "Command exited with code 1"],
  ["A44: exit 2", "echo continue; exit 2", "Command exited with code 2"],
  ["A47: a block with exit 1", "echo 'block: not a verdict'; exit 1", "Command exited with code 1"],
  ["a signal", "kill -9 $$", "Command exited with code -1"],
])("%s is a failure, which is a rejection where the hook says so", async (_, script, error) => {
  const { result, executions } = await fire(
    workspace({
      "a/HOOK.toml": hookToml(script, { name: "guard", fail_action: "block" }),
      "b/HOOK.toml": hookToml("echo 'ask: later?'"),
    }),
  );
  expect(result).toEqual({ action: "block", reason: `hook guard failed: ${error}` });
  expect(executions).toHaveLength(1);
});

test.each([
  ["warn", CONTINUE],
  ["ignore", CONTINUE],
  ["block", { action: "block", reason: "hook slow did not finish in 2 s" }],
])(
  "A45: a hook that hangs and ignores SIGTERM ends at its timeout with all its children: %s",
  async (fail_action, verdict) => {
    const script = 'trap "" TERM; (trap "" TERM; sleep 60) & echo $! > child; sleep 60';
    const root = workspace({ "a/HOOK.toml": hookToml(script, { name: "slow", timeout_secs: 2, fail_action }) });
    const start = performance.now();
    expect((await fire(root)).result).toEqual(verdict);
    expect(performance.now() - start).toBeLessThan(30_000);
    await expect.poll(() => isRunning(Number(readNotes(root, "child")))).toBe(false);
  },
);

test.each([
  ["A46: a program that is not there", { type: "command", command: "no-such-program" }],
  ["a file that is not executable", { type: "command", command: "/etc/passwd" }],
  ["a folder that is not there", { type: "command", command: "true", working_dir: "nowhere" }],
])("%s is a failure", async (_, handler) => {
  expect(await verdictOf([handlerToml(handler, { fail_action: "block" })])).toMatchObject({
    action: "block",
    reason: expect.stringMatching(/cannot be started/u),
  });
});

test("an event that is too large for a variable is a failure, and no shortened event", async () => {
  const data = { tool_name: "shell", arguments: { command: "x".repeat(300_000) } };
  const toml = hookToml("echo continue", { fail_action: "block" });
  expect(await verdictOf([toml], { data })).toMatchObject({ action: "block" });
});

test("A48: a block beats asks and modifications before it, and ends the chain", async () => {
  const root = workspace({
    "a/HOOK.toml": hookToml("echo 'ask: sure?'"),
    "b/HOOK.toml": said({ action: "continue_with", modifications: { a: 1 } }),
    "c/HOOK.toml": hookToml("echo 'block: no'"),
    "d/HOOK.toml": hookToml("echo ran > notes"),
  });
  expect((await fire(root)).result).toEqual({ action: "block", reason: "no" });
  expect(readNotes(root)).toBe("");
});

test("A49: an ask beats modifications, and the first question is kept", async () => {
  const modify = said({ action: "continue_with", modifications: { a: 1 } });
  const verdict = await verdictOf([modify, hookToml("echo ask:1"), hookToml("echo ask:2"), modify]);
  expect(verdict).toEqual({ action: "ask", question: "1", default: null });
});

test("A50: modifications are merged, and the later hook wins a key", async () => {
  const modify = (modifications: object) => said({ action: "continue_with", modifications });
  expect(await verdictOf([modify({ a: 1, b: { c: 1 } }), modify({ b: { d: 2 }, e: 3 })])).toEqual({
    action: "continue_with",
    modifications: { a: 1, b: { d: 2 }, e: 3 },
  });
});

test("A51: hooks that all say continue continue", async () => {
  expect(await verdictOf([hookToml("echo continue"), hookToml(":"), hookToml("echo hello")])).toEqual(CONTINUE);
});
