import { expect, test } from "vitest";
import { armHome } from "../support/armed-home.ts";
import { reasonOf } from "../support/hook-calls.ts";

const START = `{"tool_name":"Write","tool_input":{"content":"`;
const END = `"}}`;

/**
 * The largest event that is judged has 16 MiB. `test/hook/answer-event-hard-times.test.ts` shows that one byte more is too many.
 */
test.each([5_000_000, 16 * 1024 * 1024])("an event of %i bytes is judged", (bytes) => {
  const policy = `{ beforeToolCall: ({ input }) => ({ action: "deny", reason: String(input.content.length) }) }`;
  const length = bytes - START.length - END.length;
  const input = START + "x".repeat(length) + END;
  expect(reasonOf(armHome([{ policy }]).call({}, { input }))).toBe(`[@me/guards#guard-0] ${length}`);
});
