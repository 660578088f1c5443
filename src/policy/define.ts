import type { AgentId, ToolPolicyEvent, WithOptions } from "./event.ts";
import type { CanonicalEvent, EVENTS, HoldCode, HookableEvent, HookInput, LifecycleEvent } from "./lifecycle-events.ts";

/**
 * How failures count. `enforcement`: if the policy throws, times out or returns nonsense, the call is denied.
 * `observer`: its failures are noted and the call proceeds; only a deny of it is applied.
 */
export type PolicyKind = "enforcement" | "observer";

/** One hook policy: the default export of `hooks/<name>/policy.ts`. */
export interface ToolPolicy<Options extends object = never> {
  policyKind: PolicyKind;
  /**
   * A case-sensitive glob for the whole tool name: `Bash`, `mcp__*`, `{Write,Edit}`, `Write|Edit`; `!Read|Grep` is
   * every tool except these two. Absent: every tool.
   */
  matcher?: string;
  /**
   * The time limit of each callback in milliseconds, 1 to 30000; absent: 5000. It also stops loops that never yield.
   */
  timeoutMs?: number;
  beforeToolCall?(
    event: WithOptions<ToolPolicyEvent, Options>,
  ): Decision | undefined | void | Promise<Decision | undefined | void>;
  afterToolCall?(event: WithOptions<ToolPolicyEvent, Options>): void | Promise<void>;
}

/**
 * Gives a policy its types, and those of its options: `defineToolPolicy<HookOptions["my-hook"]>({ … })`. It returns the
 * policy unchanged; drwn checks it when it packs the card.
 */
export function defineToolPolicy<Options extends object = never>(policy: ToolPolicy<Options>): ToolPolicy<Options> {
  return policy;
}

/** Let the call proceed, optionally with a new input, or with text for the model. */
export interface Allow {
  action: "allow";
  additionalContext?: string;
  updatedInput?: unknown;
}

/** Block the call, and tell the agent the `reason`. */
export interface Deny {
  action: "deny";
  reason: string;
  /** A result for the agent instead of the real one, if the agent can carry it. */
  syntheticOutput?: unknown;
}

/**
 * Let a person decide. An agent that cannot ask proceeds, and denies what is `irreversible`; the consent's
 * `--ask-fallback` can say otherwise.
 */
export interface Ask {
  action: "ask";
  reason: string;
  /** What the call does can't be undone: where nobody can be asked, it is denied. */
  irreversible?: boolean;
}

/** Let the call proceed, and note in the journal that the policy saw it. */
export interface LogOnly {
  action: "log-only";
}

/** What `beforeToolCall` may return; `undefined` means no opinion. */
export type Decision = Allow | Deny | Ask | LogOnly;

type Powers<E extends LifecycleEvent> = E extends CanonicalEvent ? (typeof EVENTS)[E] : never;
type HoldOf<E extends LifecycleEvent> = Exclude<Powers<E>["hold"], null>;

/** One lifecycle event, in the same shape for every agent. */
export interface HookEvent<E extends LifecycleEvent = LifecycleEvent> {
  /** The agent in which it happens; `runner`: `drwn hook run --event` got it. */
  runtime: AgentId | "runner";
  event: E;
  /** The text that the matcher is compared with; absent if the event has none. */
  subject?: string;
  input: HookInput<E>;
  /** The folder in which the agent works. */
  cwd?: string;
  sessionId?: string;
  /** The hook's options, frozen; absent if card.json declares none for it. */
  readonly options?: object;
  /** Every other field that the agent sent, under its own name. */
  metadata?: Record<string, unknown>;
}

/**
 * Let it happen; if the event allows it, with text for the model, or with a new input. This approves nothing: the agent
 * still asks about what the user's own permissions make it ask about.
 */
export type Proceed<E extends LifecycleEvent = LifecycleEvent> = {
  action: "proceed";
} & (Powers<E>["injects"] extends true ? { additionalContext?: string } : unknown) &
  (Powers<E>["transforms"] extends true ? { updatedInput?: HookInput<E> } : unknown);

/** Hold it. The word says what happens then at this event. */
export interface Hold<Code extends string = HoldCode> {
  action: Code;
  /** The user or the model sees it. */
  reason: string;
}

/** What a hook may return; `undefined` means no opinion. */
export type HookOutcome<E extends LifecycleEvent = LifecycleEvent> =
  | Proceed<E>
  | LogOnly
  | ([HoldOf<E>] extends [never] ? never : Ask | Hold<HoldOf<E>>);

type Returned<E extends LifecycleEvent> = HookOutcome<E> | undefined | void;

/** One lifecycle hook. It may be the default export of `hooks/<name>/policy.ts` instead of a tool policy. */
export interface LifecycleHook<E extends HookableEvent = HookableEvent, Options extends object = never> {
  event: E;
  /** A case-sensitive glob for the event's subject. Absent: any subject. */
  matcher?: string;
  /** The time limit of each call in milliseconds, 1 to 30000; absent: 5000. It also stops loops that never yield. */
  timeoutMs?: number;
  /**
   * How failures count. `block` (the default): if the hook throws, times out or returns nonsense, the event is held; if
   * it cannot be held, drwn tells a person. `proceed`: failures are noted, and change nothing.
   */
  onFailure?: "block" | "proceed";
  run(event: WithOptions<HookEvent<E>, Options>): Returned<E> | Promise<Returned<E>>;
}

/**
 * Gives a lifecycle hook its types, and those of its options: `defineHook<"prompt.submit", HookOptions["my-hook"]>({ …
 * })`. It returns the hook unchanged; drwn checks it when it packs the card.
 */
export function defineHook<E extends HookableEvent, Options extends object = never>(
  hook: LifecycleHook<E, Options>,
): LifecycleHook<E, Options> {
  return hook;
}
