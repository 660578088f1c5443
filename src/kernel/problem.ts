import type { Text } from "./advice.ts";
import type { ProblemCode } from "./codes.ts";

interface ProblemDetails {
  /** The command or edit that fixes it, ready to be pasted. */
  hint?: Text;
  /** More lines below the message: the places, the two digests, the candidates. */
  details?: readonly string[];
  cause?: unknown;
}

/** A failure that the user can act on. Anything else that is thrown is our bug. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly hint: Text | undefined;
  readonly details: readonly string[];

  constructor(code: ProblemCode, message: string, { hint, details = [], cause }: ProblemDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "Problem";
    this.code = code;
    this.hint = hint;
    this.details = details;
  }
}

export function isProblem(error: unknown): error is Problem {
  return error instanceof Problem;
}
