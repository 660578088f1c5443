import type { Ask, LogOnly } from "./decision.ts";
import type { Runtime, WithOptions } from "./event.ts";
import type { HookableEvent, HookInput } from "./hook-inputs.ts";
import type { CanonicalEvent, EVENTS, HoldCode, LifecycleEvent } from "./taxonomy.ts";

type Powers<E extends LifecycleEvent> = E extends CanonicalEvent ? (typeof EVENTS)[E] : never;
type HoldOf<E extends LifecycleEvent> = Exclude<Powers<E>["hold"], null>;

/** One moment in the life of a session, in the same shape for every agent. */
export interface HookEvent<E extends LifecycleEvent = LifecycleEvent> {
  /** The agent that it happens in; `runner` where `drwn hook run --event` was given it. */
  runtime: Runtime | "runner";
  event: E;
  /** What the matcher is compared with; absent if the event has nothing to match. */
  subject?: string;
  input: HookInput<E>;
  /** The folder that the agent is working in. */
  cwd?: string;
  sessionId?: string;
  /** What the hook's options are, frozen; absent where card.json declares none for it. */
  readonly options?: object;
  /** Every other field that the agent sent, under its own name. */
  metadata?: Record<string, unknown>;
}

/**
 * Let it happen; where the event can take it with text for the model, or with another input. This doesn't approve anything: what the user's
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

/** What a hook may return; `undefined` means no opinion. */
export type HookOutcome<E extends LifecycleEvent = LifecycleEvent> =
  | Proceed<E>
  | LogOnly
  | ([HoldOf<E>] extends [never] ? never : Ask | Hold<HoldOf<E>>);

type Returned<E extends LifecycleEvent> = HookOutcome<E> | undefined | void;

/** One lifecycle hook: what the default export of `hooks/<name>/policy.ts` may be instead of a tool policy. */
export interface LifecycleHook<E extends HookableEvent = HookableEvent, Options extends object = never> {
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
  run(event: WithOptions<HookEvent<E>, Options>): Returned<E> | Promise<Returned<E>>;
}

/**
 * Gives a lifecycle hook its types, those of its options among them: `defineHook<"prompt.submit", HookOptions["my-hook"]>({ … })`. It returns what it
 * was given; the checks are made when the card is packed.
 */
export function defineHook<E extends HookableEvent, Options extends object = never>(
  hook: LifecycleHook<E, Options>,
): LifecycleHook<E, Options> {
  return hook;
}
