import type { Ask, LogOnly } from "./decision.ts";
import type { AgentId, WithOptions } from "./event.ts";
import type { HookableEvent, HookInput } from "./hook-inputs.ts";
import type { CanonicalEvent, EVENTS, HoldCode, LifecycleEvent } from "./taxonomy.ts";

type Powers<E extends LifecycleEvent> = E extends CanonicalEvent ? (typeof EVENTS)[E] : never;
type HoldOf<E extends LifecycleEvent> = Exclude<Powers<E>["hold"], null>;

/** One moment in the life of a session, in the same shape for every agent. */
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
