import { describe, expect, test } from "vitest";
import { allAdapters, findLifecycleAdapter } from "../../src/agents/adapters.ts";
import { arawnLifecycle } from "../../src/dialects/arawn/adapter.ts";
import type { LifecycleAdapter, Wire } from "../../src/hook-base/adapter/adapter.ts";
import { BrokenEvent } from "../../src/hook-base/read-input.ts";
import type { AgentId } from "../../src/policy/event.ts";
import { isCanonicalEvent, type LifecycleEvent, powersOf } from "../../src/policy/lifecycle-events.ts";
import { fallbackAnswerAt } from "../../src/wiring/launcher.ts";

const SAYING = { reason: "no", context: null, updatedInput: null, notice: null, isFailure: false } as const;
const SPEAKING = allAdapters().flatMap(({ title, runtime }) => {
  const adapter = findLifecycleAdapter(runtime);
  return adapter === undefined ? [] : [[title, adapter] as const];
});

/** What an event may be about, under the names that all agents share. */
const INPUT = {
  toolName: "a_tool",
  toolInput: { a: 1 },
  error: "broke",
  prompt: "p",
  command: "c",
  message: "m",
  facet: "f",
  type: "t",
  model: "m",
} as const;
const NEEDED: { readonly [E in LifecycleEvent]?: readonly (keyof typeof INPUT)[] } = {
  "prompt.submit": ["prompt"],
  "prompt.expand": ["command"],
  "tool.after": ["toolName", "toolInput"],
  "tool.failure": ["toolName", "toolInput", "error"],
  "approval.before": ["toolName", "toolInput"],
  "approval.after": ["toolName", "toolInput"],
  "context.build": ["prompt"],
  "message.before": ["message"],
  "message.after": ["message"],
  "model.resolve": ["model"],
  "prompt.received": ["prompt"],
  "tool.persist": ["toolName"],
  notify: ["message"],
  "facet.switch": ["facet"],
};

function inputFor(event: LifecycleEvent): Record<string, unknown> {
  const known = Object.fromEntries((NEEDED[event] ?? []).map((field) => [field, INPUT[field]]));
  return event === "turn.stop" || event === "subagent.stop" ? { ...known, isContinued: false } : known;
}

describe.each(SPEAKING)("the lifecycle events of %s", (_, adapter) => {
  const events = adapter.names.map(([event]) => event);

  test.each(events)("%s takes no more than the event can, and is sent and read alike", (event) => {
    const at = adapter.powersAt(event);
    const { hold, injects, transforms } = powersOf(event);
    expect([at?.holds && hold === null, at?.injects && !injects, at?.transforms && !transforms]).toEqual([
      false,
      false,
      false,
    ]);
    const wire = adapter.toWire(event, inputFor(event));
    if (isCanonicalEvent(event)) expect(adapter.decode(wire, event)?.input).toEqual(inputFor(event));
  });

  test.each(events)("%s: to let it happen is to say nothing, and a hold is a denial", (event) => {
    const at = adapter.powersAt(event);
    if (at === undefined) throw new Error(`${event} isn't an event of its`);
    expect(adapter.encode({ ...SAYING, action: "allow", powers: at })).toEqual({ text: "", effective: "allow" });
    if (!at.holds) return;
    const { text, effective } = adapter.encode({ ...SAYING, action: "deny", powers: at });
    // Arawn is answered in plain text.
    const isSaid = adapter === arawnLifecycle ? text === "no\n" : Object.values(JSON.parse(text)).length > 0;
    expect([effective, isSaid]).toEqual(["deny", true]);
  });

  test("has none of those that nobody has", () => {
    expect(adapter.powersAt("other.Nonsense")).toBeUndefined();
    expect(() => adapter.decode({}, "other.Nonsense")).toThrow(BrokenEvent);
  });
});

/** A hold as each program knows one. */
const HELD: [AgentId, LifecycleEvent, object][] = [
  ["claude-code", "prompt.submit", { continue: true, decision: "block", reason: "no" }],
  ["claude-code", "compact.before", { continue: true, decision: "block", reason: "no" }],
  ["codex", "prompt.submit", { continue: true, decision: "block", reason: "no" }],
  ["codex", "turn.stop", { continue: true, decision: "block", reason: "no" }],
  ["codex", "compact.before", { continue: false, stopReason: "no" }],
  ["copilot-cli", "prompt.submit", { decision: "block", reason: "no" }],
  ["copilot-cli", "approval.before", { behavior: "deny", message: "no" }],
  ["cursor", "prompt.submit", { continue: false, user_message: "no" }],
  ["cursor", "turn.stop", { followup_message: "no" }],
  ["gemini-cli", "prompt.submit", { decision: "deny", reason: "no" }],
  ["gemini-cli", "model.before", { decision: "deny", reason: "no" }],
  ["opencode", "compact.before", { deny: "no" }],
  ["polytoken", "prompt.submit", { outcome: "reject", reason: "no" }],
  ["polytoken", "model.before", { outcome: "retry", reason: "no" }],
  ["polytoken", "turn.stop", { outcome: "continue", reason: "no" }],
  ["polytoken", "compact.before", { outcome: "cancel", reason: "no" }],
  ["polytoken", "notify", { outcome: "suppress", reason: "no" }],
];

test.each(HELD)("%s is told to hold %s in its own words", (runtime, event, answer) => {
  const adapter = lifecycleAdapterOf(runtime);
  const at = adapter.powersAt(event);
  if (at === undefined) throw new Error(`${event} isn't an event of its`);
  const { text } = adapter.encode({ ...SAYING, action: "deny", powers: at, reason: "no", context: null, notice: null });
  expect(JSON.parse(text)).toEqual(answer);
});

test.each(["claude-code", "codex"] as const)(
  "%s shows a person the text of the end of a turn, and keeps the model out of it",
  (runtime) => {
    const adapter = lifecycleAdapterOf(runtime);
    const at = adapter.powersAt("turn.stop");
    if (at === undefined) throw new Error("it tells of no end");
    const said = (more: object) => JSON.parse(adapter.encode({ ...SAYING, action: "allow", powers: at, ...more }).text);
    expect([said({ context: "well" }), said({ context: "well", notice: "let go" })]).toEqual([
      { continue: true, systemMessage: "well" },
      { continue: true, systemMessage: "well\nlet go" },
    ]);
  },
);

function lifecycleAdapterOf(runtime: AgentId): LifecycleAdapter {
  const adapter = findLifecycleAdapter(runtime);
  if (adapter === undefined) throw new Error(`${runtime} reports no lifecycle events`);
  return adapter;
}

/** Events as the programs send them, with what hooks are given. */
const SENT: [AgentId, LifecycleEvent, Wire, object][] = [
  [
    "gemini-cli",
    "prompt.submit",
    { session_id: "s", cwd: "/p", hook_event_name: "BeforeAgent", timestamp: "t", prompt: "go" },
    { input: { prompt: "go" }, rest: { cwd: "/p", sessionId: "s", metadata: { timestamp: "t" } } },
  ],
  [
    "gemini-cli",
    "turn.stop",
    { hook_event_name: "AfterAgent", prompt: "go", prompt_response: "done", stop_hook_active: true },
    { input: { isContinued: true, lastMessage: "done" }, isContinued: true, rest: { metadata: { prompt: "go" } } },
  ],
  [
    "gemini-cli",
    "tool.after",
    {
      hook_event_name: "AfterTool",
      tool_name: "run_shell_command",
      tool_input: {},
      tool_response: { llmContent: "x" },
    },
    { subject: "Bash", aliases: ["run_shell_command"], input: { output: { llmContent: "x" } } },
  ],
  [
    "gemini-cli",
    "tool.after",
    { tool_name: "mcp_db_query", mcp_context: { server_name: "db", tool_name: "query" } },
    { subject: "mcp__db__query", aliases: ["mcp_db_query"] },
  ],
  [
    "gemini-cli",
    "tool.failure",
    { hook_event_name: "AfterTool", tool_name: "replace", tool_response: { error: { message: "gone" } } },
    { subject: "Edit", input: { toolName: "replace", error: "gone" } },
  ],
  [
    "gemini-cli",
    "notify",
    { hook_event_name: "Notification", notification_type: "ToolPermission", message: "m", details: {} },
    { subject: "ToolPermission", input: { message: "m", type: "ToolPermission" }, rest: { metadata: { details: {} } } },
  ],
  [
    "copilot-cli",
    "session.start",
    { sessionId: "s", timestamp: 1, cwd: "/p", source: "new", initialPrompt: "go" },
    { subject: "new", rest: { cwd: "/p", sessionId: "s", metadata: { timestamp: 1, initialPrompt: "go" } } },
  ],
  [
    "copilot-cli",
    "approval.before",
    { hookName: "permissionRequest", sessionId: "s", toolName: "bash", toolInput: { command: "ls" } },
    { subject: "Bash", aliases: ["bash"], input: { toolName: "bash", toolInput: { command: "ls" } } },
  ],
  [
    "copilot-cli",
    "tool.failure",
    { toolName: "view", toolArgs: { path: "/x" }, error: "gone" },
    { subject: "Read", input: { toolName: "view", toolInput: { path: "/x" }, error: "gone" } },
  ],
  [
    "copilot-cli",
    "turn.stop",
    { transcriptPath: "/t", stopReason: "end_turn", stop_hook_active: true },
    { input: { isContinued: true }, isContinued: true },
  ],
  [
    "copilot-cli",
    "subagent.stop",
    { agentName: "task", agentId: "a", agentType: "task", response: "found", stop_hook_active: false },
    // A kind of subagent that is called like a tool is none.
    { subject: "task", aliases: [], isContinued: null, input: { isContinued: false, lastMessage: "found" } },
  ],
  [
    "cursor",
    "prompt.submit",
    { hook_event_name: "beforeSubmitPrompt", conversation_id: "c", workspace_roots: ["/p"], prompt: "go" },
    { input: { prompt: "go" }, rest: { cwd: "/p", sessionId: "c", metadata: { workspace_roots: ["/p"] } } },
  ],
  ["cursor", "turn.stop", { hook_event_name: "stop", status: "completed", loop_count: 1 }, { isContinued: true }],
  ["cursor", "turn.stop", { hook_event_name: "stop", status: "completed" }, { isContinued: null }],
  [
    "opencode",
    "tool.after",
    { hook_event_name: "tool.execute.after", cwd: "/p", session_id: "s", tool: "bash", args: {}, output: {} },
    { subject: "Bash", aliases: ["bash"], input: { toolName: "bash", toolInput: {}, output: {} } },
  ],
  [
    "copilot-cli",
    "notify",
    { message: "m", title: "t", hook_event_name: "Notification", notification_type: "permission_prompt" },
    { subject: "permission_prompt", input: { message: "m", title: "t", type: "permission_prompt" } },
  ],
];

test.each(SENT)("%s: %s is read from what the program sends", (runtime, event, wire, expected) => {
  expect(lifecycleAdapterOf(runtime).decode(wire, event)).toMatchObject(expected);
});

test.each<[AgentId, LifecycleEvent, Wire]>([
  ["gemini-cli", "tool.after", { tool_name: "x", tool_response: { error: "gone" } }],
  ["gemini-cli", "tool.failure", { tool_name: "x", tool_response: { llmContent: "x" } }],
  ["copilot-cli", "turn.stop", { agentId: "a", agentType: "explore", stop_hook_active: false }],
])("%s: an event that tells of another event than %s asks nobody", (runtime, event, wire) => {
  expect(lifecycleAdapterOf(runtime).decode(wire, event)).toBeNull();
});

test.each<[AgentId, LifecycleEvent, Wire]>([
  ["gemini-cli", "prompt.submit", { hook_event_name: "BeforeAgent" }],
  ["gemini-cli", "prompt.submit", { hook_event_name: "AfterAgent", prompt: "go" }],
  ["copilot-cli", "prompt.submit", { sessionId: "s" }],
  ["cursor", "prompt.submit", { hook_event_name: "stop", prompt: "go" }],
  ["opencode", "prompt.submit", { hook_event_name: "chat.message", prompt: 1 }],
  ["copilot-cli", "approval.before", { toolInput: {} }],
])("%s: what does not belong to %s is refused", (runtime, event, wire) => {
  expect(() => lifecycleAdapterOf(runtime).decode(wire, event)).toThrow(BrokenEvent);
});

test.each<[AgentId, LifecycleEvent, object | null]>([
  ["copilot-cli", "approval.before", { behavior: "deny", message: expect.stringContaining("drwn doctor") }],
  ["copilot-cli", "compact.before", null],
  ["copilot-cli", "turn.stop", null],
  ["copilot-cli", "session.start", null],
  ["gemini-cli", "model.before", { decision: "deny", reason: expect.stringContaining("drwn doctor") }],
  ["gemini-cli", "turn.stop", null],
])("%s is told for a hook that does not answer at %s: %j", (runtime, event, expected) => {
  expect(JSON.parse(fallbackAnswerAt(lifecycleAdapterOf(runtime), event) ?? "null")).toEqual(expected);
});
