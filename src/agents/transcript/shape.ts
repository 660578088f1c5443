import * as z from "../../format/zod.ts";

/** A name, an id or a path. */
export const shortText = z.string().max(4096);
export const timestampText = shortText
  .transform((text) => new Date(text))
  .refine((date) => !Number.isNaN(date.getTime()));

/**
 * The beginning of a text that may be too long to read. It is a copy, since a part of a string keeps all of it in
 * memory.
 */
export function beginningOf(text: string): string {
  return Buffer.from(text.slice(0, 100)).toString();
}

/** Deeper than any tool's input, but not too deep to walk through. */
const DEEPEST = 64;

export const calledInput = z.record(z.string(), z.unknown()).refine((input) => isShallow(input, DEEPEST));

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((part) => isShallow(part, depth - 1));
}
