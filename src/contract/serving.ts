/**
 * What an app and the process that answers for it say to each other, a line of JSON each: the process greets once, the app
 * puts questions, and each gets one answer. Both may be of different versions of drwn.
 */
export const SERVING_VERSION = 1;

/** The first line of the process: it is ready. */
export interface Greeting {
  drwn: number;
  /** Milliseconds that all policies may take together over one question. */
  totalMs: number;
}

/**
 * `before` a call, where no person can be asked; `approval`: does a person have to be asked before this call? `approved`: one
 * was, and the call is about to be made; `after` a call.
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
 * `{"id":…,"answer":…}` replies to a question; the answer is null where nobody has anything to say. A process that replies
 * `{"id":…,"retired":true}` has not looked at the question; put it to a new one.
 */
export interface ServedAnswer {
  action: "allow" | "ask" | "deny";
  /** Of a deny or an ask. */
  reason?: string;
  /** Of a deny: what takes the place of the result. */
  output?: unknown;
  updatedInput?: Record<string, unknown>;
}
