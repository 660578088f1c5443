import { expect } from "vitest";

/** What the model was told about a call that ran and printed this. The client adds notes of its own below. */
export function ranAndPrinted(output: string): unknown {
  return expect.objectContaining({ isError: false, text: expect.stringContaining(output) });
}

/** What the model was told about a call that didn't run, for this reason. */
export function wasBlocked(reason = ""): unknown {
  return expect.objectContaining({ isError: true, text: expect.stringContaining(reason) });
}
