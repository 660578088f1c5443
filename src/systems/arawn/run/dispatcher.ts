import { type ArawnContext, type ArawnEvent, GATES, isArawnEvent } from "../hook/events.ts";
import type { ArawnLoadFault, HookDef } from "../hook/hook.ts";
import { ALLOW, type ArawnOutcome, block, info } from "./outcome.ts";
import { type ArawnHookResult, runArawnHook } from "./run-hook.ts";
import { stdinFor, subjectOf } from "./stdin.ts";

export interface ArawnDispatcherOptions {
  /** In the order in which they run. */
  hooks: readonly HookDef[];
  /** Faults of files that could not be loaded. Their hooks cannot say no, so the dispatcher does. */
  faults?: readonly ArawnLoadFault[];
  /** What happens to a tool call if a hook that should judge it couldn't. Absent: "deny". */
  onError?: "allow" | "deny";
  /** The environment of the hooks, in addition to what Arawn sets. */
  env: Readonly<Record<string, string | undefined>>;
  sessionId?: string;
  /** Gets every failure that blocks nothing. */
  onNote?: (note: string) => void;
}

/** After being sent on this often, the agent hands back whatever its hooks say. */
export const MAX_TURN_HOLDS = 3;

/** Runs the hooks of an event in order, one after another. The first no ends the run. */
export class ArawnDispatcher {
  readonly #options: ArawnDispatcherOptions;
  readonly #byEvent = new Map<ArawnEvent, HookDef[]>();
  readonly #keptGoing = new Map<string, number>();

  constructor(options: ArawnDispatcherOptions) {
    this.#options = options;
    for (const hook of options.hooks) this.#byEvent.set(hook.event, [...this.hooksFor(hook.event), hook]);
  }

  hooksFor(event: ArawnEvent): readonly HookDef[] {
    return this.#byEvent.get(event) ?? [];
  }

  /** How many hooks each event has, without the events that have none. */
  counts(): Partial<Record<ArawnEvent, number>> {
    const entries = [...this.#byEvent].map(([event, hooks]) => [event, hooks.length]);
    return Object.fromEntries(entries);
  }

  async dispatch<E extends ArawnEvent>(event: E, context: ArawnContext<E>): Promise<ArawnOutcome> {
    if (!isArawnEvent(event)) throw new TypeError(`${String(event)} isn't an event of Arawn`);
    const outcome = this.#refusal(event) ?? (await this.#ask(event, context));
    return event === "Stop" ? this.#bound(outcome, context) : outcome;
  }

  #refusal(event: ArawnEvent): ArawnOutcome | undefined {
    const fault = this.#options.faults?.find(({ isNote }) => !isNote);
    if (event !== "PreToolUse" || fault === undefined || this.#options.onError === "allow") return undefined;
    return block(`hooks cannot be loaded: ${describeArawnFault(fault)}`);
  }

  async #ask(event: ArawnEvent, context: Readonly<Record<string, unknown>> | object): Promise<ArawnOutcome> {
    const { env, sessionId = textOf(context, "session_id") } = this.#options;
    const subject = subjectOf(event, context);
    const said: string[] = [];
    for (const hook of this.hooksFor(event)) {
      if (!hook.isFor(subject)) continue;
      const end = await runArawnHook(hook, { stdin: stdinFor(hook, event, context), sessionId, env });
      const reason = this.#reasonToHold(hook, end);
      if (reason !== undefined) return block(reason);
      if (end.end === "passed" && end.output !== "") said.push(end.output);
    }
    // Nobody gets what hooks print when they let a tool run.
    return event === "PreToolUse" ? ALLOW : info(said);
  }

  #reasonToHold({ event, generation, origin }: HookDef, end: ArawnHookResult): string | undefined {
    if (end.end === "passed") return undefined;
    const why = end.end === "blocked" ? end.reason : end.what;
    const isStrict = event === "PreToolUse" && this.#options.onError !== "allow";
    // By the contract, hooks can hold tool calls and the end of a turn; in settings they can hold more.
    const canHold =
      event === "PreToolUse" || event === "Stop" || (generation === "settings.json" && GATES.includes(event));
    if (canHold && (end.end === "blocked" || isStrict)) return why;
    this.#options.onNote?.(`${origin.file}, ${origin.entry}: ${why}`);
    return undefined;
  }

  /** An agent that is never let go would work for ever. */
  #bound(outcome: ArawnOutcome, context: object): ArawnOutcome {
    const session = textOf(context, "session_id") ?? this.#options.sessionId ?? "";
    const reported = "kept_going" in context && typeof context.kept_going === "number" ? context.kept_going : undefined;
    const count = reported ?? this.#keptGoing.get(session) ?? 0;
    if (outcome.outcome !== "block") this.#keptGoing.delete(session);
    if (outcome.outcome !== "block") return outcome;
    this.#keptGoing.set(session, count + 1);
    if (count < MAX_TURN_HOLDS) return outcome;
    this.#keptGoing.delete(session);
    this.#options.onNote?.(
      `the agent was sent on ${count} times; it hands back although a hook says: ${outcome.reason}`,
    );
    return info([outcome.reason]);
  }
}

export function describeArawnFault({ file, entry, field, what }: ArawnLoadFault): string {
  return `${file}, ${entry}${field === null ? "" : `, \`${field}\``}: ${what}`;
}

function textOf(context: object, field: string): string | undefined {
  const value: unknown = Reflect.get(context, field);
  return typeof value === "string" && value !== "" ? value : undefined;
}
