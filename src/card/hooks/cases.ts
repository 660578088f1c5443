import { isUtf8 } from "node:buffer";
import { formatJson, parseStrictJson } from "../../kernel/format/json.ts";
import { describeIssues, nameIssue } from "../../kernel/format/read.ts";
import { lazily, lineText } from "../../kernel/format/schema.ts";
import * as z from "../../kernel/format/zod.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { AGENT_IDS } from "../../policy/event.ts";
import type { CardFiles } from "../files.ts";
import { phaseSchema } from "./hook-index.ts";

const MOST_CASES = 20_000;
const LINE_BREAK = 0x0a;

/** Where the cases of a hook are, in its card. */
export function casesFileOf(hook: string): string {
  return `hooks/${hook}/cases.jsonl`;
}

const callSchema = lazily(() =>
  z.strictObject({
    tool: lineText(256).describe("The name of the tool, by which all agents know it: Bash, Write, mcp__server__tool."),
    input: z.record(z.string(), z.unknown()).describe("What the tool is called with."),
    cwd: z.string().startsWith("/").max(4_096).optional().describe("The folder that the call starts in."),
    home: z.string().startsWith("/").max(4_096).optional().describe("The home of the person; absent: /home/me."),
  }),
);

/** One line of `cases.jsonl`: a call, and what the hook must say about it. */
const caseSchema = lazily(() =>
  z.strictObject({
    id: lineText(200).min(1).describe("Once in the file."),
    ...callSchema().shape,
    tool: callSchema().shape.tool.optional().describe("The name of the tool; absent for a lifecycle event."),
    agent: z.enum(AGENT_IDS).optional().describe("The agent that sends it; absent: each that has such a tool."),
    phase: phaseSchema.optional().describe("When the hook is asked: before the call, unless it is said."),
    session: z.array(callSchema()).max(100).optional().describe("Earlier calls of the same session, in their order."),
    expect: z.enum(["deny", "ask", "allow", "rewrite"]),
    reason: z.string().min(1).max(2_048).optional().describe("A part of the reason that the hook gives."),
    updatedInput: z.record(z.string(), z.unknown()).optional().describe("The input that a rewrite puts in place."),
    instead: callSchema().optional().describe("The call that the reason proposes: it has to be allowed."),
    fresh: z.boolean().optional().describe("Ask in a process that answers no other call."),
    todo: z.boolean().optional().describe("The hook cannot do this yet: listed, and no failure."),
    why: lineText(1_000).optional().describe("For people."),
  }),
);

/** One call of a tool. */
export type CaseCall = z.output<ReturnType<typeof callSchema>>;

export type HookCase = z.output<ReturnType<typeof caseSchema>>;

/** The cases of a hook, in order; none without a file. For an invalid line, throws a problem that names its number. */
export function readCases(files: CardFiles, hook: string): HookCase[] {
  const file = casesFileOf(hook);
  const bytes = files.get(file);
  return bytes === undefined ? [] : parseCases(bytes, file);
}

export interface CaseCount {
  cases: number;
  /** How many expect a deny or an ask. */
  refused: number;
  /** How many expect another input; the others expect the call to go through as it is. */
  rewritten: number;
}

/** How many cases come with a hook, for a person who decides about it; null: its file can't be read. */
export function countCases(files: CardFiles, hook: string): CaseCount | null {
  try {
    const cases = readCases(files, hook);
    const refused = cases.filter(({ expect }) => expect === "deny" || expect === "ask").length;
    const rewritten = cases.filter(({ expect }) => expect === "rewrite").length;
    return { cases: cases.length, refused, rewritten };
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
}

/** `file`: what messages call the file. */
export function parseCases(bytes: Uint8Array, file: string): HookCase[] {
  const lines = decode(bytes, file).split(/\r?\n/u);
  const cases: HookCase[] = [];
  const seen = new Map<string, number>();
  for (const [at, text] of lines.entries()) {
    if (text.trim() === "") continue;
    const place = `${file}:${at + 1}`;
    const read = parseCase(text, place);
    const earlier = seen.get(read.id);
    if (earlier !== undefined) throw invalid(place, `the id \`${clean(read.id)}\` is that of line ${earlier}, too`);
    seen.set(read.id, at + 1);
    cases.push(read);
    if (cases.length > MOST_CASES) throw invalid(place, `there are more than ${MOST_CASES} cases`);
  }
  return cases;
}

/** One case as a line of the file. */
export function printCase(one: HookCase): string {
  return JSON.stringify(one);
}

/**
 * The schema of a line, for editors.
 * @public for `npm run generate`
 */
export function caseJsonSchema(): string {
  const schema = z.toJSONSchema(caseSchema(), { io: "input" });
  return formatJson({ ...schema, title: "A line of cases.jsonl: a call, and what a hook is to make of it" });
}

function parseCase(text: string, place: string): HookCase {
  const value = parseLine(text, place);
  const parsed = caseSchema().safeParse(value, { error: nameIssue });
  if (parsed.success) return requireWhole(parsed.data, place);
  const [first = "", ...others] = describeIssues(parsed.error, text).map((line) => line.replace(/^line \d+: /u, ""));
  throw invalid(place, first, others);
}

function parseLine(text: string, place: string): unknown {
  try {
    return parseStrictJson(text, { file: place });
  } catch (error) {
    if (!isProblem(error)) throw error;
    throw invalid(place, error.message.replace(`${place}, line 1: the file `, "it "));
  }
}

/** Checks what the schema of a single field can't. */
function requireWhole(one: HookCase, place: string): HookCase {
  const { phase = "pre-tool", tool, expect, updatedInput } = one;
  const isTool = phase === "pre-tool" || phase === "post-tool";
  if (isTool && tool === undefined) throw invalid(place, "`tool` should be the name of a tool, got nothing");
  if (phase === "post-tool" && expect !== "allow") {
    throw invalid(place, '`expect` should be "allow": after a call nothing can be denied any more');
  }
  if (updatedInput !== undefined && expect !== "rewrite") {
    throw invalid(place, '`updatedInput` should be absent: `expect` isn\'t "rewrite"');
  }
  return one;
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Problem("DRWN_CASES_INVALID", `${clean(file)}:${lineThatIsNoText(bytes)}: it isn't UTF-8`, { cause });
  }
}

/** A line break is one byte, which is never part of another character. */
function lineThatIsNoText(bytes: Uint8Array): number {
  let number = 1;
  for (let start = 0; start < bytes.length; number++) {
    const end = bytes.indexOf(LINE_BREAK, start);
    const line = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (!isUtf8(line) || end < 0) return number;
    start = end + 1;
  }
  return number;
}

function invalid(place: string, why: string, details: readonly string[] = []): Problem {
  return new Problem("DRWN_CASES_INVALID", `${clean(place)}: ${why}`, { details });
}
