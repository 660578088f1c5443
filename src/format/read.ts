import { Problem } from "../kernel/problem.ts";
import { readIfThere, refuseSize } from "../kernel/read-file.ts";
import { clean } from "../kernel/text.ts";
import { describeIssues, nameIssue } from "./issues.ts";
import { parseStrictJson } from "./json.ts";
import type * as z from "./zod.ts";

/** The default limit. No file of ours that is written by hand or in one piece comes near it. */
const MAXIMUM_BYTES = 1024 * 1024;

interface ReadLimits {
  maximumBytes?: number;
}

/**
 * Reads a file and checks it against its schema. Throws a problem that names file, line, field, expected and received.
 */
export function readFormat<S extends z.ZodType>(file: string, schema: S, limits: ReadLimits = {}): z.output<S> {
  const bytes = readBounded(file, limits);
  if (bytes === undefined) throw new Problem("DRWN_FILE_INVALID", `there is no ${clean(file)}`);
  return parseFormat(bytes, schema, { file, ...limits });
}

/** Like `readFormat`, but undefined if the file is absent. */
export function readFormatIfThere<S extends z.ZodType>(
  file: string,
  schema: S,
  limits: ReadLimits = {},
): z.output<S> | undefined {
  const bytes = readBounded(file, limits);
  return bytes === undefined ? undefined : parseFormat(bytes, schema, { file, ...limits });
}

interface ParseRequest extends ReadLimits {
  /** The file's name in messages. */
  file: string;
}

export function parseFormat<S extends z.ZodType>(
  content: Uint8Array | string,
  schema: S,
  { file, maximumBytes = MAXIMUM_BYTES }: ParseRequest,
): z.output<S> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  refuseSize(file, bytes.length, maximumBytes);
  const text = decodeText(bytes, file);
  const jitless = !paysToCompile(schema, text.length);
  const parsed = schema.safeParse(parseStrictJson(text, { file }), { error: nameIssue, jitless });
  if (parsed.success) return parsed.data;
  const [first, ...others] = describeIssues(parsed.error, text);
  throw new Problem("DRWN_FILE_INVALID", `${clean(file)}, ${first}`, { details: others });
}

/** How many characters each schema has read. */
const read = new WeakMap<z.ZodType, number>();

/** zod can compile a schema before using it. For one small file compiling takes longer than reading. */
function paysToCompile(schema: z.ZodType, length: number): boolean {
  const total = (read.get(schema) ?? 0) + length;
  read.set(schema, total);
  return total > 16_384;
}

/** The bytes of a regular file of at most this size; undefined: it is absent. */
export function readBounded(file: string, { maximumBytes = MAXIMUM_BYTES }: ReadLimits = {}): Buffer | undefined {
  return readIfThere(file, maximumBytes);
}

function decodeText(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Problem("DRWN_FILE_INVALID", `${clean(file)} is not UTF-8`, { cause: error });
  }
}
