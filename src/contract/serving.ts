/**
 * How an app and the process that answers for it talk, in lines of JSON: the process greets once, the app asks
 * questions, and each gets one answer. They may be of different versions of drwn.
 */
export const SERVING_VERSION = 1;

/** The first line of the process: it is ready. */
export interface Greeting {
  drwn: number;
  /** How many milliseconds all policies may take together for one question. */
  totalMs: number;
}

/**
 * `before`: a call, about which no person can be asked. `approval`: must a person be asked before this call?
 * `approved`: a person has said yes, and the call is about to be made. `after`: the call was made.
 */
export const QUESTION_KINDS = ["before", "approval", "approved", "after"] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface ServedQuestion {
  id: number;
  about: QuestionKind;
  /** As the agent's adapter reads it. */
  event: Record<string, unknown>;
}

/**
 * `{"id":…,"answer":…}` replies to a question; the answer is null if no policy has anything to say. A process that
 * replies `{"id":…,"retired":true}` has not looked at the question: ask a new process.
 */
export interface ServedAnswer {
  action: "allow" | "ask" | "deny";
  /** For a deny or an ask. */
  reason?: string;
  /** For a deny: what replaces the result. */
  output?: unknown;
  updatedInput?: Record<string, unknown>;
}
