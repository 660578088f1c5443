import type * as z from "./zod.ts";

/** Files of each kind that are remembered: a command looks at few, and at some of them often. */
const MAXIMUM = 64;

interface Remembered {
  bytes: Uint8Array;
  value: unknown;
}

const remembered = new WeakMap<z.ZodType, Map<string, Remembered>>();

/**
 * What `parse` makes of these bytes, or made of the same bytes of the same file before. The value is frozen through and
 * through, since several readers get the same one.
 */
export function parseOnce<S extends z.ZodType>(
  { file, schema, bytes }: { file: string; schema: S; bytes: Uint8Array },
  parse: () => z.output<S>,
): z.output<S> {
  const files = remembered.get(schema) ?? new Map<string, Remembered>();
  remembered.set(schema, files);
  const former = files.get(file);
  if (former !== undefined && Buffer.compare(former.bytes, bytes) === 0) return former.value as z.output<S>;
  const value = deepFreeze(parse());
  files.delete(file);
  const oldest = files.keys().next();
  if (files.size >= MAXIMUM && oldest.done !== true) files.delete(oldest.value);
  files.set(file, { bytes, value });
  return value;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
