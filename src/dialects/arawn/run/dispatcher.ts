import { type DispatchPaths, resolvePaths } from "../../running/event-program.ts";
import {
  type ArawnContext,
  type ArawnEvent,
  type ArawnLoadFault,
  GATES,
  type HookDef,
  isArawnEvent,
} from "../hook/hook.ts";
import { loadArawnHooks } from "../read/load.ts";
import { type ArawnHookResult, runArawnHook, stdinFor, subjectOf } from "./run-hook.ts";

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

export interface ArawnDispatchPaths extends DispatchPaths, Pick<ArawnDispatcherOptions, "onError" | "onNote"> {}

/**
 * Dispatches a single event, for which it reads the files of the user and of the project. A file with a fault blocks
 * tool calls, and `onNote` gets every fault. Rejects with a `TypeError` if Arawn has no such event: the caller must not
 * let it proceed. A caller that dispatches several events counts how often the agent was sent on, and passes it in
 * `kept_going` of a `Stop`.
 */
export async function dispatchArawn<E extends ArawnEvent>(
  event: E,
  context: ArawnContext<E>,
  places: ArawnDispatchPaths = {},
): Promise<ArawnOutcome> {
  const { root, home, env } = resolvePaths(places);
  const { hooks, faults } = loadArawnHooks({ home, root });
  for (const fault of faults) places.onNote?.(describeArawnFault(fault));
  const session = env["ARAWN_SESSION_ID"];
  const known = session === undefined ? {} : { sessionId: session };
  return await new ArawnDispatcher({ ...places, hooks, faults, env, ...known }).dispatch(event, context);
}

/** What Arawn's dispatcher says about an event. */
export type ArawnOutcome =
  | { outcome: "allow" }
  /** The tool doesn't run, or the agent doesn't hand back. The agent gets `reason`. */
  | { outcome: "block"; reason: string }
  /** Text for the agent. */
  | { outcome: "info"; output: string };

const ALLOW: ArawnOutcome = { outcome: "allow" };

function block(reason: string): ArawnOutcome {
  return { outcome: "block", reason };
}

/** Joins parts of text, one to a line. No parts means allow. */
function info(parts: readonly string[]): ArawnOutcome {
  return parts.length === 0 ? ALLOW : { outcome: "info", output: parts.join("\n") };
}

/** What the agent gets in place of a tool's result. */
export function blockedResult(reason: string): string {
  return `Blocked by hook: ${reason}`;
}
