import type { CountedFunction } from "../contract/proving.ts";
import { lazily } from "../format/schema.ts";
import * as z from "../format/zod.ts";

const offset = z.int().min(0);

/** What the process that ran the policy says: like everything from it, only a claim. */
const schema = lazily(() =>
  z
    .array(
      z.object({
        functionName: z.string(),
        isBlockCoverage: z.boolean(),
        ranges: z.array(z.object({ startOffset: offset, endOffset: offset, count: offset })),
      }),
    )
    .nullable(),
);

/** Null: it counts nothing. Undefined: it isn't an answer. */
export function readCounts(text: string): CountedFunction[] | null | undefined {
  try {
    const parsed = schema().safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
