// What a policy may import, for editors and `tsc`. drwn writes this file and resolves the modules itself.

declare module "darwinian-minds/hook-policy" {
  /**
   * How failures count. `enforcement`: a policy that throws, times out or answers nonsense denies the call.
   * `observer`: its failures are noted and the call proceeds; of its decisions only a deny is applied.
   */
  export type PolicyKind = "enforcement" | "observer";

  /** One hook policy: what the default export of `hooks/<name>/policy.ts` must be. */
  export interface ToolPolicy {
    policyKind: PolicyKind;
    /** A glob on the whole tool name, case-sensitive: `Bash`, `mcp__*`, `{Write,Edit}`, `Write|Edit`. Absent: every tool. */
    matcher?: string;
    /** Milliseconds for each callback, 1 to 30000; 5000 when absent. It holds for loops that never yield, too. */
    timeoutMs?: number;
    beforeToolCall?(event: ToolPolicyEvent): Decision | undefined | void | Promise<Decision | undefined | void>;
    afterToolCall?(event: ToolPolicyEvent): void | Promise<void>;
  }

  /** Gives a policy its types. It returns what it was given; the checks are made when the card is packed. */
  export function defineToolPolicy(policy: ToolPolicy): ToolPolicy;

  /** The agent product a tool call comes from. */
  export type Runtime =
    | "arawn"
    | "astrid"
    | "claude-code"
    | "codex"
    | "copilot-cli"
    | "cursor"
    | "gemini-cli"
    | "mastra"
    | "opencode"
    | "polytoken";

  /** Before the tool runs, or after it did. */
  export type Phase = "pre-tool" | "post-tool";

  /** One tool call at one phase, in the same shape for every agent. */
  export interface ToolPolicyEvent {
    runtime: Runtime;
    phase: Phase;
    /** The agent's own name of the tool: `Bash`, `Write`, `mcp__server__tool`. */
    toolName: string;
    /** What the tool is called with, as the agent sent it; an earlier policy may have rewritten it. */
    input?: unknown;
    /** What the tool returned; only after the call. */
    output?: unknown;
    /** Set when the tool call failed; only after the call. */
    error?: { name: string; message: string };
    /** The folder that the agent is working in. */
    cwd?: string;
    sessionId?: string;
    /** Every other field that the agent sent, under its own name. */
    metadata?: Record<string, unknown>;
  }

  /** What the common tools are called with, by their canonical names. */
  export interface ToolInputs {
    Bash: { command: string };
    Edit: { file_path: string; old_string: string; new_string: string };
    Glob: { pattern: string };
    Grep: { pattern: string };
    Read: { file_path: string };
    WebFetch: { url: string };
    WebSearch: { query: string };
    Write: { file_path: string; content: string };
  }

  export type CommonTool = keyof ToolInputs;

  /**
   * What a common tool is called with, whatever the agent calls its fields: `inputOf(event, "Bash")?.command`. undefined where
   * the event is a call of another tool. Throws a `TypeError` where the fields are missing or are no text: an enforcement policy
   * then blocks the call, which it could not judge.
   */
  export function inputOf<T extends CommonTool>(event: ToolPolicyEvent, tool: T): ToolInputs[T] | undefined;

  /** Proceed; optionally with a replaced input, or with text for the model beside the call. */
  export interface Allow {
    action: "allow";
    additionalContext?: string;
    updatedInput?: unknown;
  }

  /** Block the call. `reason` is what the agent is told. */
  export interface Deny {
    action: "deny";
    reason: string;
    /** A result to hand to the agent in place of the real one, where the agent can carry it. */
    syntheticOutput?: unknown;
  }

  /** Pause and let a person decide. An agent that cannot ask proceeds. */
  export interface Ask {
    action: "ask";
    reason: string;
  }

  /** Proceed, and note that the call was seen. */
  export interface LogOnly {
    action: "log-only";
  }

  /** What `beforeToolCall` may return; `undefined` is no opinion. */
  export type Decision = Allow | Deny | Ask | LogOnly;

  /** An event of the taxonomy. */
  export type CanonicalEvent = keyof EventTable;

  /** An event that one system has and the taxonomy does not: `other.CwdChanged`. It can be watched and no more. */
  export type OtherEvent = `other.${string}`;

  /** Any moment that a hook can be for. */
  export type LifecycleEvent = CanonicalEvent | OtherEvent;

  /** How an event is held: what becomes of the thing that was about to happen. */
  export type HoldCode = "deny" | "reject" | "retry" | "keep-going" | "cancel" | "suppress";

  /** What a hook can do at each event: hold it, and in which word; add text for the model; replace what it is about. */
  interface EventTable {
    readonly "host.start": {
      readonly hold: null;
      readonly injects: false;
      readonly transforms: false;
      readonly subject: null;
    };
    readonly "host.stop": {
      readonly hold: null;
      readonly injects: false;
      readonly transforms: false;
      readonly subject: null;
    };
    readonly "session.start": {
      readonly hold: null;
      readonly injects: true;
      readonly transforms: false;
      readonly subject: "source";
    };
    readonly "session.end": {
      readonly hold: null;
      readonly injects: false;
      readonly transforms: false;
      readonly subject: "reason";
    };
    readonly "session.reset": {
      readonly hold: "deny";
      readonly injects: false;
      readonly transforms: false;
      readonly subject: null;
    };
    readonly "prompt.submit": {
      readonly hold: "reject";
      readonly injects: true;
      readonly transforms: false;
      readonly subject: null;
    };
    readonly "prompt.received": {
      readonly hold: null;
      readonly injects: false;
      readonly transforms: false;
      readonly subject: null;
    };
    readonly "prompt.expand": {
      readonly hold: "reject";
      readonly injects: true;
      readonly transforms: false;
      readonly subject: "command";
    };
    readonly "model.resolve": {
      readonly hold: "deny";
      readonly injects: false;
      readonly transforms: true;
      readonly subject: "model";
    };
    readonly "model.before": {
      readonly hold: "retry";
      readonly injects: true;
      readonly transforms: false;
      readonly subject: null;
    };
    readonly "model.after": {
      readonly hold: null;
      readonly injects: false;
      readonly transforms: false;
      readonly subject: null;
    };
    readonly "context.build": {
      readonly hold: null;
      readonly injects: true;
      readonly transforms: true;
      readonly subject: null;
    };
    readonly "tool.before": {
      readonly hold: "deny";
      readonly injects: true;
      readonly transforms: true;
      readonly subject: "tool";
    };
    readonly "tool.after": {
      readonly hold: null;
      readonly injects: true;
      readonly transforms: false;
      readonly subject: "tool";
    };
    readonly "tool.failure": {
      readonly hold: null;
      readonly injects: false;
      readonly transforms: false;
      readonly subject: "tool";
    };
    readonly "tool.persist": {
      readonly hold: null;
      readonly injects: false;
      readonly transforms: true;
      readonly subject: "tool";
    };
    readonly "approval.before": {
      readonly hold: "deny";
      readonly injects: false;
      readonly transforms: false;
      readonly subject: "tool";
    };
    readonly "approval.after": {
      readonly hold: null;
      readonly injects: false;
      readonly transforms: false;
      readonly subject: "tool";
    };
    readonly "message.before": {
      readonly hold: "suppress";
      readonly injects: false;
      readonly transforms: true;
      readonly subject: null;
    };
    readonly "message.after": {
      readonly hold: null;
      readonly injects: false;
      readonly transforms: false;
      readonly subject: null;
    };
    readonly "turn.stop": {
      readonly hold: "keep-going";
      readonly injects: false;
      readonly transforms: false;
      readonly subject: null;
    };
    readonly "loop.end": {
      readonly hold: null;
      readonly injects: false;
      readonly transforms: false;
      readonly subject: null;
    };
    readonly "compact.before": {
      readonly hold: "cancel";
      readonly injects: true;
      readonly transforms: false;
      readonly subject: "trigger";
    };
    readonly "compact.after": {
      readonly hold: null;
      readonly injects: true;
      readonly transforms: false;
      readonly subject: "trigger";
    };
    readonly "subagent.start": {
      readonly hold: null;
      readonly injects: true;
      readonly transforms: false;
      readonly subject: "type";
    };
    readonly "subagent.stop": {
      readonly hold: "keep-going";
      readonly injects: false;
      readonly transforms: false;
      readonly subject: "type";
    };
    readonly notify: {
      readonly hold: "suppress";
      readonly injects: false;
      readonly transforms: false;
      readonly subject: "type";
    };
    readonly "facet.switch": {
      readonly hold: null;
      readonly injects: false;
      readonly transforms: false;
      readonly subject: "facet";
    };
  }

  /** The events that a lifecycle hook can be for. Before a tool call stands `defineToolPolicy`. */
  export type HookableEvent = Exclude<LifecycleEvent, "tool.before">;

  /** What each event is about, in the same shape for every system. What else a system sends is in `metadata`. */
  export interface HookInputs {
    "host.start": object;
    "host.stop": object;
    /** `source`: startup, resume, clear, compact, in the system's own words. */
    "session.start": { source?: string; model?: string };
    "session.end": { reason?: string };
    "session.reset": object;
    "prompt.submit": { prompt: string };
    "prompt.received": { prompt: string };
    "prompt.expand": { command: string; prompt?: string };
    "model.resolve": { model: string };
    "model.before": { prompt?: string };
    "model.after": { response?: string };
    "context.build": { prompt: string };
    "tool.after": { toolName: string; toolInput?: unknown; output?: unknown };
    "tool.failure": { toolName: string; toolInput?: unknown; error: string };
    "tool.persist": { toolName: string; output?: unknown };
    "approval.before": { toolName: string; toolInput?: unknown };
    "approval.after": { toolName: string; toolInput?: unknown; reason?: string };
    "message.before": { message: string };
    "message.after": { message: string };
    /** `isContinued`: a hook has kept this turn going already. */
    "turn.stop": { isContinued: boolean; lastMessage?: string };
    "loop.end": { lastMessage?: string };
    /** `trigger`: manual or auto. */
    "compact.before": { trigger?: string; instructions?: string };
    "compact.after": { trigger?: string; summary?: string };
    "subagent.start": { type?: string; agentId?: string };
    "subagent.stop": { isContinued: boolean; type?: string; agentId?: string; lastMessage?: string };
    notify: { message: string; title?: string; type?: string };
    "facet.switch": { facet: string };
  }

  /** What an event is about; of one that only one system has, all that it sends. */
  export type HookInput<E extends LifecycleEvent = LifecycleEvent> = E extends keyof HookInputs
    ? HookInputs[E]
    : Readonly<Record<string, unknown>>;

  type Powers<E extends LifecycleEvent> = E extends CanonicalEvent ? EventTable[E] : never;
  type HoldOf<E extends LifecycleEvent> = Exclude<Powers<E>["hold"], null>;

  /** One moment in the life of a session, in the same shape for every agent. */
  export interface HookEvent<E extends LifecycleEvent = LifecycleEvent> {
    /** The agent that it happens in; `runner` where `drwn hook run --event` was given it. */
    runtime: Runtime | "runner";
    event: E;
    /** What the matcher is compared with; absent where the event has no such thing. */
    subject?: string;
    input: HookInput<E>;
    /** The folder that the agent is working in. */
    cwd?: string;
    sessionId?: string;
    /** Every other field that the agent sent, under its own name. */
    metadata?: Record<string, unknown>;
  }

  /**
   * Let it happen; where the event can take it with text for the model, or with another input. It is no approval: what the user's
   * own permissions ask about is still asked.
   */
  export type Proceed<E extends LifecycleEvent = LifecycleEvent> = {
    action: "proceed";
  } & (Powers<E>["injects"] extends true ? { additionalContext?: string } : unknown) &
    (Powers<E>["transforms"] extends true ? { updatedInput?: HookInput<E> } : unknown);

  /** Hold it: the word says what that comes to at this event. */
  export interface Hold<Code extends string = HoldCode> {
    action: Code;
    /** What the user or the model is told. */
    reason: string;
  }

  /** What a hook may return; `undefined` is no opinion. */
  export type HookOutcome<E extends LifecycleEvent = LifecycleEvent> =
    | Proceed<E>
    | LogOnly
    | ([HoldOf<E>] extends [never] ? never : Ask | Hold<HoldOf<E>>);

  type Returned<E extends LifecycleEvent> = HookOutcome<E> | undefined | void;

  /** One lifecycle hook: what the default export of `hooks/<name>/policy.ts` may be in place of a tool policy. */
  export interface LifecycleHook<E extends HookableEvent = HookableEvent> {
    event: E;
    /** A glob on the event's subject, case-sensitive. Absent: whatever the subject is. */
    matcher?: string;
    /** Milliseconds for each call, 1 to 30000; 5000 when absent. It holds for loops that never yield, too. */
    timeoutMs?: number;
    /**
     * How failures count. `block`, which is meant when it is absent: a hook that throws, times out or answers nonsense holds the
     * event, and where it cannot be held, a person is told. `proceed`: its failures are noted, and change nothing.
     */
    onFailure?: "block" | "proceed";
    run(event: HookEvent<E>): Returned<E> | Promise<Returned<E>>;
  }

  /** Gives a lifecycle hook its types. It returns what it was given; the checks are made when the card is packed. */
  export function defineHook<E extends HookableEvent>(hook: LifecycleHook<E>): LifecycleHook<E>;
}

declare module "darwinian/hook-policy" {
  export * from "darwinian-minds/hook-policy";
}

declare module "drwn/hook-policy" {
  export * from "darwinian-minds/hook-policy";
}
