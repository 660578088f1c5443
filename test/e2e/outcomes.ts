import { expect } from "vitest";

/** What the model was told of a call that ran and printed this. The client adds notes of its own below. */
export function ranAndPrinted(output: string): unknown {
  return expect.objectContaining({ isError: false, text: expect.stringContaining(output) });
}

/** What the model was told of a call that did not run, for this reason. */
export function wasBlocked(reason = ""): unknown {
  return expect.objectContaining({ isError: true, text: expect.stringContaining(reason) });
}
