import { expect, test } from "vitest";
import { handlerPolicy } from "../../../src/helpers/handlers/handler-policy.ts";
import type { HandlerOutput, HandlerQuestion, HandlerTerms } from "../../../src/helpers/handlers/protocols.ts";
import type { HookEvent } from "../../../src/policy/define.ts";
import type { ToolPolicyEvent } from "../../../src/policy/event.ts";
import type { HookableEvent } from "../../../src/policy/lifecycle-events.ts";

const TERMS: HandlerTerms = { event: "tool.before", policyKind: "enforcement", timeoutMs: 1_000, speaks: "drwn" };
const EVENT: ToolPolicyEvent = {
  runtime: "claude-code",
  phase: "pre-tool",
  toolName: "Bash",
  input: { command: "ls" },
  cwd: "/w",
  sessionId: "s-1",
  metadata: { permission_mode: "default" },
};

/** What becomes of a call when the handler answers this, and what it was asked. */
async function decide(
  terms: Partial<HandlerTerms>,
  said: Partial<HandlerOutput>,
  event: Partial<ToolPolicyEvent> = {},
) {
  const asked: HandlerQuestion[] = [];
  const policy = handlerPolicy({ ...TERMS, ...terms }, (question) => {
    asked.push(question);
    return { code: 0, output: "", errors: "", ...said };
  });
  const callback = "run" in policy ? undefined : (policy.beforeToolCall ?? policy.afterToolCall);
  try {
    return { decision: await callback?.({ ...EVENT, ...event }), asked };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : "", asked };
  }
}

const deny = (reason: string) => ({ decision: { action: "deny", reason } });
const specific = (fields: object) => JSON.stringify({ hookSpecificOutput: fields });

test.each<[string, Partial<HandlerOutput>, object]>([
  ["exit code 2 blocks", { code: 2, errors: "why\n" }, deny("why")],
  ["exit code 2 blocks without a reason", { code: 2 }, deny("the hook gave no reason")],
  ["another code is a failure", { code: 1, errors: "broken\n" }, { failure: "it ended with 1: broken" }],
  ["text is for people", { output: "all is well" }, { decision: undefined }],
  ["the old words", { output: '{"decision":"block","reason":"no"}' }, deny("no")],
  ["a no whose first reason is blank", { output: '{"decision":"block","reason":" ","stopReason":"why"}' }, deny("why")],
  ["a no whose reason is blank", { output: '{"decision":"block","reason":"\\n"}' }, deny("it says no")],
  ["the old words for yes", { output: '{"decision":"approve"}' }, { decision: undefined }],
  ["an end of the session", { output: '{"continue":false,"stopReason":"enough"}' }, deny("enough")],
  ["deny", { output: specific({ permissionDecision: "deny", permissionDecisionReason: "no" }) }, deny("no")],
  ["allow is no approval", { output: specific({ permissionDecision: "allow" }) }, { decision: undefined }],
  [
    "ask",
    { output: specific({ permissionDecision: "ask", permissionDecisionReason: "sure?" }) },
    { decision: { action: "ask", reason: "sure?" } },
  ],
  [
    "another input and context",
    { output: specific({ permissionDecision: "allow", updatedInput: { a: 1 }, additionalContext: "c" }) },
    { decision: { action: "allow", updatedInput: { a: 1 }, additionalContext: "c" } },
  ],
  ["an unknown decision", { output: specific({ permissionDecision: "maybe" }) }, { failure: 'it decides "maybe"' }],
  ["two documents", { output: "{}{}" }, { failure: "it answers with something that is not one JSON document" }],
])("Claude Code: %s", async (_, said, expected) => {
  expect(await decide({ speaks: "claude" }, said)).toMatchObject(expected);
});

test("Claude Code's handlers read its event", async () => {
  const { asked } = await decide({ speaks: "claude" }, {});
  expect(asked.map(({ text, variables, cwd }) => [JSON.parse(text), variables, cwd])).toEqual([
    [
      {
        permission_mode: "default",
        session_id: "s-1",
        cwd: "/w",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "ls" },
      },
      { CLAUDE_PROJECT_DIR: "/w" },
      "/w",
    ],
  ]);
});

test.each<[string, Partial<HandlerOutput>, object]>([
  ["code 0 is no opinion, whatever is printed", { output: '{"outcome":"block"}' }, { decision: undefined }],
  ["another code is a no, with what it printed", { code: 7, output: " a \n", errors: "b" }, deny("a")],
  ["or what it said otherwise", { code: 7, errors: "b" }, deny("b")],
  ["or its code", { code: 7 }, deny("the hook ended with exit code 7")],
])("Arawn: %s", async (_, said, expected) => {
  expect(await decide({ speaks: "arawn" }, said)).toMatchObject(expected);
});

test("Arawn's handlers are told its own name of the tool", async () => {
  const { asked } = await decide({ speaks: "arawn" }, {});
  expect(asked).toEqual([
    { text: '{"tool":"shell","params":{"command":"ls"}}', variables: { ARAWN_SESSION_ID: "s-1" }, cwd: "/w" },
  ]);
  const [settings] = (await decide({ speaks: "arawn-settings" }, {})).asked;
  expect(JSON.parse(settings?.text ?? "")).toEqual({
    hook_event: "PreToolUse",
    tool_name: "shell",
    tool_input: { command: "ls" },
    session_id: "s-1",
    cwd: "/w",
  });
});

test.each<[string, Partial<HandlerOutput>, object]>([
  ["code 2 is a no", { code: 2, output: "a", errors: " b \n" }, deny("b")],
  ["with what it printed, where it said nothing", { code: 2, output: "a" }, deny("a")],
  ["another code is a failure", { code: 1, errors: "broken" }, { failure: "it ended with 1: broken" }],
  ["code 0 is no opinion", { output: "fine" }, { decision: undefined }],
])("Arawn's settings: %s", async (_, said, expected) => {
  expect(await decide({ speaks: "arawn-settings" }, said)).toMatchObject(expected);
});

test.each<[string, Partial<HandlerOutput>, object]>([
  ["silence is no opinion", { output: " \n" }, { decision: undefined }],
  ["a decision is one", { output: '{"action":"deny","reason":"no"}' }, deny("no")],
  ["a code is a failure", { code: 1, output: '{"action":"allow"}' }, { failure: "it ended with 1" }],
  ["text is a failure", { output: "no" }, { failure: "it answers with something that is not one JSON document" }],
])("drwn: %s", async (_, said, expected) => {
  expect(await decide({}, said)).toMatchObject(expected);
});

test("an input in which the pattern is not found is not shown to the handler", async () => {
  const inputPattern = '"a":1,"b":2';
  const asked = async (input: unknown) => (await decide({ inputPattern }, {}, { input })).asked.length;
  expect([await asked({ b: 2, a: 1 }), await asked({ a: 1 }), await asked(undefined)]).toEqual([1, 0, 0]);
});

/** What becomes of a lifecycle event when the handler answers this, and what it was asked. */
async function hold(
  terms: Partial<HandlerTerms> & { event: HookableEvent },
  said: Partial<HandlerOutput>,
  more: Partial<HookEvent> = {},
) {
  const asked: HandlerQuestion[] = [];
  const hook = handlerPolicy({ ...TERMS, ...terms }, (question) => {
    asked.push(question);
    return { code: 0, output: "", errors: "", ...said };
  });
  if (!("run" in hook)) throw new Error("it is no lifecycle hook");
  try {
    const event = { runtime: "claude-code", event: terms.event, input: {}, cwd: "/w", sessionId: "s-1", ...more };
    return { answer: await hook.run(event as HookEvent<HookableEvent>), asked };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : "", asked };
  }
}

type Row = [string, Partial<HandlerTerms> & { event: HookableEvent }, Partial<HandlerOutput>, object];

test.each<Row>([
  [
    "Arawn: Stop",
    { event: "turn.stop", speaks: "arawn" },
    { code: 1, output: "go on" },
    { answer: { action: "keep-going", reason: "go on" } },
  ],
  [
    "Arawn: a code elsewhere says nothing",
    { event: "session.start", speaks: "arawn" },
    { code: 1, output: "x" },
    { answer: undefined },
  ],
  [
    "Arawn: text is context",
    { event: "session.start", speaks: "arawn" },
    { output: " c " },
    { answer: { action: "proceed", additionalContext: "c" } },
  ],
  ["Arawn: text that nobody takes", { event: "session.end", speaks: "arawn" }, { output: "c" }, { answer: undefined }],
  [
    "Claude Code: exit code 2",
    { event: "prompt.submit", speaks: "claude" },
    { code: 2, errors: "no" },
    { answer: { action: "reject", reason: "no" } },
  ],
  [
    "Claude Code: block",
    { event: "turn.stop", speaks: "claude" },
    { output: '{"decision":"block","reason":"tests"}' },
    { answer: { action: "keep-going", reason: "tests" } },
  ],
  [
    "Claude Code: block with a blank reason",
    { event: "turn.stop", speaks: "claude" },
    { output: '{"decision":"block","reason":" "}' },
    { answer: { action: "keep-going", reason: "the hook gave no reason" } },
  ],
  [
    "Claude Code: an end of the session",
    { event: "turn.stop", speaks: "claude" },
    { output: '{"continue":false}' },
    { answer: undefined },
  ],
  [
    "Claude Code: text of a prompt's hook",
    { event: "prompt.submit", speaks: "claude" },
    { output: "c" },
    { answer: { action: "proceed", additionalContext: "c" } },
  ],
  ["Claude Code: text elsewhere", { event: "turn.stop", speaks: "claude" }, { output: "c" }, { answer: undefined }],
  [
    "Claude Code: text for the model at the end of a turn, for which it goes on",
    { event: "turn.stop", speaks: "claude" },
    { output: JSON.stringify({ hookSpecificOutput: { hookEventName: "Stop", additionalContext: "c" } }) },
    { answer: { action: "keep-going", reason: "c" } },
  ],
  [
    "Claude Code: what cannot be held",
    { event: "session.end", speaks: "claude" },
    { code: 2, errors: "no" },
    { failure: "it wants to stop session.end, which nobody can: no" },
  ],
  ["Claude Code: another code", { event: "notify", speaks: "claude" }, { code: 1 }, { failure: "it ended with 1" }],
  [
    "drwn: an answer",
    { event: "compact.before" },
    { output: '{"action":"cancel","reason":"no"}' },
    { answer: { action: "cancel", reason: "no" } },
  ],
])("%s", async (_, terms, said, expected) => {
  expect(await hold(terms, said)).toMatchObject(expected);
});

test("handlers read a lifecycle event in the words of their system", async () => {
  const stop = { input: { isContinued: true, lastMessage: "done" }, metadata: { permission_mode: "plan" } };
  const claude = await hold({ event: "turn.stop", speaks: "claude" }, {}, stop);
  expect(JSON.parse(claude.asked[0]?.text ?? "")).toEqual({
    permission_mode: "plan",
    session_id: "s-1",
    cwd: "/w",
    hook_event_name: "Stop",
    stop_hook_active: true,
    last_assistant_message: "done",
  });
  const call = { subject: "Bash", input: { toolName: "Bash", toolInput: { command: "ls" }, output: "out" } };
  const after = await hold({ event: "tool.after", speaks: "arawn" }, { output: "seen" }, call);
  expect(after.asked[0]?.text).toBe('{"tool":"shell","params":{"command":"ls"},"result":"out"}');
  expect(after.answer).toEqual({ action: "proceed", additionalContext: "seen" });
  const arawn = await hold({ event: "turn.stop", speaks: "arawn" }, {}, stop);
  expect(arawn.asked[0]?.text).toBe('{"response":"done"}');
  const end = await hold({ event: "session.end", speaks: "arawn" }, {}, { metadata: { turn_count: 4 } });
  expect(end.asked[0]?.text).toBe('{"session_id":"s-1","turn_count":4}');
  const uncounted = await hold({ event: "session.end", speaks: "arawn" }, {}, {});
  expect(uncounted.asked[0]?.text).toBe('{"session_id":"s-1"}');
});
