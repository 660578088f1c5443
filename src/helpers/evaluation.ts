import type { ToolPolicyEvent } from "../policy/event.ts";
import { matchedTextOf } from "./match-field.ts";

/** A tool call, or a lifecycle event. */
type Judged = { input?: unknown };

/** What the parts of a policy share while it judges one call or prompt. */
export interface Evaluation<E extends Judged = ToolPolicyEvent> {
  event: E;
  /** The text that the policy was matched against. */
  input: string;
  /** The field that contains it. */
  field: string;
  /** How many milliseconds are left. */
  left: () => number;
}

/** Milliseconds for starting a policy's process, and for saying what took too long. */
const RESERVE_MS = 500;

export function startEvaluation(event: ToolPolicyEvent, field: string, timeoutMs: number): Evaluation {
  return startEvaluationOf(event, { field, input: matchedTextOf(event, field), timeoutMs });
}

/** The same, with the matched text given. */
export function startEvaluationOf<E extends Judged>(
  event: E,
  { field, input, timeoutMs }: { field: string; input: string; timeoutMs: number },
): Evaluation<E> {
  const end = Date.now() + timeoutMs - Math.min(RESERVE_MS, timeoutMs / 4);
  return { event, field, input, left: () => Math.max(1, end - Date.now()) };
}
