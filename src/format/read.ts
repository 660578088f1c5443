import { Problem } from "../kernel/problem.ts";
import { readIfThere, refuseSize } from "../kernel/read-file.ts";
import { clean } from "../kernel/text.ts";
import { describeIssues, nameIssue } from "./issues.ts";
import { parseStrictJson } from "./json.ts";
import type * as z from "./zod.ts";

/** The default cap: no file of ours that is written by hand or in one piece comes near it. */
const MAXIMUM_BYTES = 1024 * 1024;

interface ReadLimits {
  maximumBytes?: number;
}

/** The file's value, as its schema has it. Otherwise a problem that names file, line, field, expected and received. */
export function readFormat<S extends z.ZodType>(file: string, schema: S, limits: ReadLimits = {}): z.output<S> {
  const bytes = readBounded(file, limits);
  if (bytes === undefined) throw new Problem("DRWN_FILE_INVALID", `there is no ${clean(file)}`);
  return parseFormat(bytes, schema, { file, ...limits });
}

/** Like `readFormat`; undefined when the file is absent. */
export function readFormatIfThere<S extends z.ZodType>(
  file: string,
  schema: S,
  limits: ReadLimits = {},
): z.output<S> | undefined {
  const bytes = readBounded(file, limits);
  return bytes === undefined ? undefined : parseFormat(bytes, schema, { file, ...limits });
}

interface ParseRequest extends ReadLimits {
  /** How the file is called in messages. */
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

/** How much each schema has read. */
const read = new WeakMap<z.ZodType, number>();

/** zod can compile a schema before it reads with it. For one small file that takes longer than the reading. */
function paysToCompile(schema: z.ZodType, length: number): boolean {
  const total = (read.get(schema) ?? 0) + length;
  read.set(schema, total);
  return total > 16_384;
}

/** The bytes of a regular file of at most this size; undefined when it is absent. */
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
