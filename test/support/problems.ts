import { Problem } from "../../src/kernel/problem.ts";

/** The problem with which the work fails. The test fails if the work succeeds, or fails in another way. */
export async function problemOf(work: () => unknown): Promise<Problem> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("it was expected to be refused, and was not");
}

/** Code, message and details in one text, for assertions on what a user reads. */
export function textOf({ code, message, details, hint }: Problem): string {
  return [code, message, ...details, hint ?? ""].join("\n");
}
