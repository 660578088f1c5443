import { advise, type Text } from "../advice.ts";
import { readIfThere, refuseSize } from "../files.ts";
import { isProblem, Problem } from "../problem.ts";
import { clean, shellQuote } from "../text.ts";
import { offsetOfPath, positionAt } from "./edit-json.ts";
import { type JsonPath, parseStrictJson } from "./json.ts";
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

/** The same for a record of drwn's own that a command makes again: the problem says how a person gets rid of a damaged one. */
export function readRecordIfThere<S extends z.ZodType>(
  file: string,
  schema: S,
  makesAgain: Text,
): z.output<S> | undefined {
  try {
    return readFormatIfThere(file, schema);
  } catch (error) {
    if (!isProblem(error) || error.code !== "DRWN_FILE_INVALID") throw error;
    const { code, message, details } = error;
    const hint = advise`restore it from a backup, or: rm ${shellQuote(file)} && ${makesAgain}`;
    throw new Problem(code, message, { hint, details, cause: error });
  }
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

const MAXIMUM_ISSUES = 20;

/** What an issue expected, as the end of "should be …". If a schema has better words, those are used. */
export function nameIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int" ? "a whole number" : withArticle(issue.expected);
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value)).join(" or ");
    case "unrecognized_keys":
      return "absent: the field is unknown";
    case "too_small":
      return `at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_format":
      return issue.format === "regex" ? `text like ${issue.pattern}` : `text in the form of ${issue.format}`;
    default:
      return "something else";
  }
}

/** One line for each issue: `line 4: \`version\` should be …, got …`. */
export function describeIssues(error: z.ZodError, text: string): string[] {
  const document: unknown = JSON.parse(text);
  const lines = error.issues.flatMap(flatten).map(({ path, expected }) => {
    const received = describeValue(valueAt(document, path));
    return `line ${positionAt(text, offsetOfPath(text, path)).line}: ${nameField(path)} should be ${expected}, got ${received}`;
  });
  return lines.length > MAXIMUM_ISSUES ? [...lines.slice(0, MAXIMUM_ISSUES), `… ${lines.length} in all`] : lines;
}

interface FlatIssue {
  path: JsonPath;
  expected: string;
}

function flatten(issue: z.core.$ZodIssue): FlatIssue[] {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => at([...path, key], issue.message));
  if (issue.code === "invalid_key") {
    return issue.issues.map(({ message }) => at(path, `named ${message}`));
  }
  const closest = issue.code === "invalid_union" ? closestAlternative(issue.errors) : [];
  if (closest.length > 0) {
    return closest.flatMap(flatten).map((inner) => at([...path, ...inner.path], inner.expected));
  }
  return [at(path, issue.message)];
}

/** The issues of the union's alternative that has the fewest, since most likely that one was meant. */
function closestAlternative(alternatives: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const sorted = [...alternatives].sort((left, right) => left.length - right.length);
  return sorted[0] ?? [];
}

function at(path: JsonPath, expected: string): FlatIssue {
  return { path, expected };
}

function nameField(path: JsonPath): string {
  if (path.length === 0) return "the file";
  const dotted = path.map((part) => {
    if (typeof part === "number") return `[${part}]`;
    return /^[\w$-]+$/u.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
  });
  return `\`${clean(dotted.join("").replace(/^\./u, ""), 200)}\``;
}

function valueAt(document: unknown, path: JsonPath): unknown {
  let value = document;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

function describeValue(value: unknown): string {
  return value === undefined ? "nothing" : clean(JSON.stringify(value), 80);
}

function withArticle(noun: string): string {
  return `${/^[aeio]/u.test(noun) ? "an" : "a"} ${noun}`;
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " items" : "";
}
