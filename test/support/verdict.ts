import { type HoldCode, type LifecycleEvent, powersOf } from "../../src/policy/taxonomy.ts";

/** How far a verdict goes, weakest first. */
export const LEVELS = ["none", "observed", "proceed", "ask", "hold"] as const;
export type Level = (typeof LEVELS)[number];

/** Where text for the model is put. */
export type Where = "system-reminder" | "before-summary" | "after-summary" | "tool-result";

/** Text for the model, and the hook that gave it. */
export interface ContextPart {
  where: Where;
  text: string;
  from: string;
}

/** What takes the place of the thing that an event is about, or of some of its fields. */
export type Patch = { kind: "replace"; value: unknown } | { kind: "merge"; fields: Readonly<Record<string, unknown>> };

/**
 * What one hook, or several together, say of an event. In its normal form, which all functions here give: a `code`, a
 * `reason` and a `synthetic` only with a hold, a `question` and a `defaultAnswer` only with an ask, a `patch` only with proceed,
 * and no `context` with a hold.
 */
export interface Verdict {
  level: Level;
  code: HoldCode | null;
  reason: string | null;
  question: string | null;
  defaultAnswer: string | null;
  context: readonly ContextPart[];
  patch: Patch | null;
  /** A result in place of the real one; undefined: none. */
  synthetic: unknown;
  /** What a person should know, and nobody has to act on. */
  notes: readonly string[];
  /** What went wrong. */
  errors: readonly string[];
  /** What a stronger verdict has put aside, for the record. */
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

/** A verdict from what is known of it, in its normal form. A patch makes it at least proceed. */
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
 * Two verdicts in their order as one: the stronger level wins, of two holds or two asks the first one speaks, text adds up, and
 * the later patch lies over the earlier one.
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

/** All of it, in the order in which it was given, whether or not it is put aside. */
function contextOf({ context, dropped }: Verdict): readonly ContextPart[] {
  return [...dropped.context, ...context];
}

/** The one verdict that all come to, in their order. */
export function foldVerdicts(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce(combineVerdicts, NO_VERDICT);
}

/** A verdict as its event can take it. What has no effect there is noted, and says nothing. */
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

/** A value with a patch laid over it. */
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
