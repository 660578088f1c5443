import type { PolicyPhase } from "./ledger.ts";
import type { PlannedPolicy } from "./plan.ts";

/**
 * The exit status of a hook process that has done its work, and of the launcher for a caller that names this number. No
 * program ends with it by accident, so an empty program, or one that ends without an answer, doesn't count as an
 * answer. The entry in an agent's settings turns it into 0.
 */
export const ANSWERED = 100;

/**
 * The exit status of a process that was started for a plan that isn't in force. It hasn't read the event; the launcher
 * starts another.
 */
export const SUPERSEDED = 101;

/**
 * The exit status of a process with the fixed hash seed, if the event is too large for it. It has told the
 * launcher what it has read, for the process that the launcher starts next.
 */
export const HANDED_OVER = 102;

/**
 * The descriptor on which a confined process says `ANSWERED` before it kills itself, because an orderly exit takes a
 * fortieth of the hook's time. The signal alone proves nothing, since any of the user's programs can send it; only the
 * launcher's own process has this output.
 */
export const STATUS_FD = 5;

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
type QuestionKind = (typeof QUESTION_KINDS)[number];

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

/** The first message from `src/authoring/proving` to the program that asks one policy about many calls. */
export interface ProvingOrder {
  /** Stands before each of its answers. */
  nonce: string;
  policy: PlannedPolicy;
  /** The compiled policy. */
  code: string;
}

/** Each later message: a call as an agent reports it, or a lifecycle event in drwn's own words. */
export interface ProvingQuestion {
  runtime: string;
  phase: PolicyPhase;
  wire: Readonly<Record<string, unknown>>;
  /** The home of the person; absent: `USER_HOME`. */
  userHome?: string;
}

/** The home in which cases play, so that they mean the same on every machine. */
export const USER_HOME = "/home/me";

/** The key of the project in a throw-away home. */
export const PROVING_KEY = "0";
