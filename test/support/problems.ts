import { sayIn } from "../../src/kernel/advice.ts";
import { Problem } from "../../src/kernel/problem.ts";

/** A problem as it is told in a project. */
type RenderedProblem = Problem & { readonly hint: string | undefined };

/** The problem with which the work fails. The test fails if the work succeeds, or fails in another way. */
export async function problemOf(work: () => unknown): Promise<RenderedProblem> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Problem)
      return Object.assign(error, { hint: error.hint === undefined ? undefined : sayIn("project", error.hint) });
    throw error;
  }
  throw new Error("it was expected to be refused, and was not");
}

/** Code, message and details in one text, for assertions on what a user reads. */
export function textOf({ code, message, details, hint }: Problem): string {
  return [code, message, ...details, sayIn("project", hint ?? "")].join("\n");
}
