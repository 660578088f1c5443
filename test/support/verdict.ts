import { type HoldCode, type LifecycleEvent, powersOf } from "../../src/policy/lifecycle-events.ts";

/** How far a verdict goes, weakest first. */
export const LEVELS = ["none", "observed", "proceed", "ask", "hold"] as const;
export type Level = (typeof LEVELS)[number];

/** Where text for the model goes. */
export type Where = "system-reminder" | "before-summary" | "after-summary" | "tool-result";

/** Text for the model, and the hook that gave it. */
export interface ContextPart {
  where: Where;
  text: string;
  from: string;
}

/** What replaces the thing that an event is about, or some of its fields. */
export type Patch = { kind: "replace"; value: unknown } | { kind: "merge"; fields: Readonly<Record<string, unknown>> };

/**
 * What one hook, or several together, say about an event. Every function here returns the normal form: a `code`, a
 * `reason` and a `synthetic` only with a hold, a `question` and a `defaultAnswer` only with an ask, a `patch` only with
 * proceed, and no `context` with a hold.
 */
export interface Verdict {
  level: Level;
  code: HoldCode | null;
  reason: string | null;
  question: string | null;
  defaultAnswer: string | null;
  context: readonly ContextPart[];
  patch: Patch | null;
  /** A result instead of the real one; undefined: none. */
  synthetic: unknown;
  /** What a person should know without having to act. */
  notes: readonly string[];
  /** What went wrong. */
  errors: readonly string[];
  /** What a stronger verdict has set aside, for the record. */
  dropped: { context: readonly ContextPart[]; patch: boolean };
}

/** Nothing was said. Composed with any other verdict it changes nothing. */
export const NO_VERDICT: Verdict = {
  level: "none",
  code: null,
  reason: null,
  question: null,
  defaultAnswer: null,
  context: [],
  patch: null,
  synthetic: undefined,
  notes: [],
  errors: [],
  dropped: { context: [], patch: false },
};

/** A verdict from its known parts, in normal form. A patch makes it at least proceed. */
export function verdictOf(said: Partial<Verdict>): Verdict {
  const given = { ...NO_VERDICT, ...said };
  const level = given.patch !== null && rankOf(given.level) < rankOf("proceed") ? "proceed" : given.level;
  const holds = level === "hold";
  const asks = level === "ask";
  const keepsPatch = !holds && !asks;
  return {
    ...given,
    level,
    code: holds ? (given.code ?? "deny") : null,
    reason: holds ? given.reason : null,
    synthetic: holds ? given.synthetic : undefined,
    question: asks ? given.question : null,
    defaultAnswer: asks ? given.defaultAnswer : null,
    context: holds ? [] : given.context,
    patch: keepsPatch ? given.patch : null,
    dropped: {
      context: holds ? [...given.dropped.context, ...given.context] : given.dropped.context,
      patch: given.dropped.patch || (!keepsPatch && given.patch !== null),
    },
  };
}

/**
 * Combines two verdicts in order: the stronger level wins, the first of two holds or two asks speaks, text adds up, and
 * the later patch is applied over the earlier one.
 */
export function combineVerdicts(first: Verdict, second: Verdict): Verdict {
  const speaker = rankOf(second.level) > rankOf(first.level) ? second : first;
  const { level, code, reason, question, defaultAnswer, synthetic } = speaker;
  return verdictOf({
    level,
    code,
    reason,
    question,
    defaultAnswer,
    synthetic,
    context: [...contextOf(first), ...contextOf(second)],
    patch: combinePatches(first.patch, second.patch),
    notes: [...first.notes, ...second.notes],
    errors: [...first.errors, ...second.errors],
    dropped: { context: [], patch: first.dropped.patch || second.dropped.patch },
  });
}

/** All context in the order in which it was given, set aside or not. */
function contextOf({ context, dropped }: Verdict): readonly ContextPart[] {
  return [...dropped.context, ...context];
}

/** Combines all verdicts, in order, into one. */
export function foldVerdicts(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce(combineVerdicts, NO_VERDICT);
}

/** A verdict limited to what its event can take. It notes whatever has no effect there. */
export function clampVerdict(verdict: Verdict, event: LifecycleEvent): Verdict {
  const { hold, injects, transforms } = powersOf(event);
  const isIdle = hold === null && (verdict.level === "hold" || verdict.level === "ask");
  const lost = [
    ...(isIdle ? [verdict.level] : []),
    ...(!transforms && verdict.patch !== null ? ["patch"] : []),
    ...(!injects && contextOf(verdict).length > 0 ? ["context"] : []),
  ];
  if (lost.length === 0) return verdict;
  return verdictOf({
    ...verdict,
    level: isIdle ? "observed" : verdict.level,
    patch: transforms ? verdict.patch : null,
    context: injects ? contextOf(verdict) : [],
    dropped: { ...verdict.dropped, context: [] },
    notes: [...verdict.notes, ...lost.map((what) => `${what}: ineffective on ${event}`)],
  });
}

/** Applies a patch to a value. */
export function applyPatch(patch: Patch, value: unknown): unknown {
  if (patch.kind === "replace") return patch.value;
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return { ...(isRecord ? value : {}), ...patch.fields };
}

function rankOf(level: Level): number {
  return LEVELS.indexOf(level);
}

function combinePatches(first: Patch | null, second: Patch | null): Patch | null {
  if (first === null || second === null) return second ?? first;
  if (second.kind === "replace") return second;
  return first.kind === "replace"
    ? { kind: "replace", value: applyPatch(second, first.value) }
    : { kind: "merge", fields: { ...first.fields, ...second.fields } };
}
