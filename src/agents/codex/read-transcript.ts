import { canonicalOf } from "../../hook-base/adapter/tool-call.ts";
import * as z from "../../kernel/format/zod.ts";
import { shellQuote } from "../../kernel/text.ts";
import {
  beginningOf,
  calledInput,
  PendingCalls,
  type ReportLine,
  readSessionFile,
  shortText,
  timestampText,
} from "../transcript/read-lines.ts";
import type { CallOutcome, ReportGap, TranscriptCall } from "../transcript/transcript.ts";
import { CODEX_TOOLS } from "./adapter.ts";

/** The versions that write this format. */
const KNOWN = /^0\.\d/u;

const line = z.object({
  timestamp: timestampText,
  type: z.string(),
  payload: z.looseObject({ type: z.string().optional() }),
});

const meta = z.object({
  id: shortText,
  /** In a subagent, the id of the session that started it. */
  session_id: shortText.optional(),
  cwd: shortText.optional(),
  cli_version: shortText,
  source: z.union([z.string(), z.looseObject({ subagent: z.unknown().optional() })]).optional(),
});
type Session = z.infer<typeof meta>;

const call = z.object({ call_id: shortText, name: shortText, namespace: shortText.optional() });
const withArguments = z.object({ arguments: z.string() });
const withText = z.object({ input: z.string() });
const output = z.object({
  call_id: shortText,
  output: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]),
});
const item = z.object({ item: z.object({ id: shortText, status: z.string() }) });
const turn = z.object({ cwd: shortText });

/** Calls that the model's provider runs itself. */
const ELSEWHERE = new Set(["web_search_call", "image_generation_call"]);

/** How far a file has been read. */
interface Reading {
  session: Session;
  folder: string | undefined;
  pending: PendingCalls;
  /** What Codex itself noted about calls, which counts for more than what it told the model. */
  noted: Map<string, CallOutcome>;
}

type Line = z.infer<typeof line>;
type LongLine = Line & { length: number };

export function readCodexCalls(file: string, reportGap: ReportGap, lastBytes?: number): AsyncGenerator<TranscriptCall> {
  return readSessionFile<Line, Reading>(file, reportGap, {
    lastBytes,
    line,
    stray: "isn't a line as Codex 0 writes it",
    begin: (first, tell) => {
      const session = readSession(first, tell);
      return session && { session, folder: session.cwd, pending: new PendingCalls(), noted: new Map() };
    },
    read: readLine,
    rest: ({ pending, noted }) => pending.rest((id) => noted.get(id) ?? "unknown"),
  });
}

function readSession({ type, payload }: Line, tell: ReportLine): Session | undefined {
  const session = type === "session_meta" ? meta.safeParse(payload).data : undefined;
  if (session === undefined) tell("isn't the beginning of a session as Codex 0 writes it");
  else if (!KNOWN.test(session.cli_version)) {
    tell(`is of Codex ${beginningOf(session.cli_version)}, whose format isn't known`);
    return undefined;
  }
  return session;
}

function* readLine(reading: Reading, read: LongLine, tell: ReportLine): Generator<TranscriptCall> {
  const { type, payload } = read;
  if (type === "turn_context") reading.folder = turn.safeParse(payload).data?.cwd ?? reading.folder;
  else if (type === "event_msg" && payload.type === "item_completed") note(reading, payload);
  else if (type === "response_item") yield* readItem(reading, read, tell);
}

/** More calls than any session has in progress at once. */
const MOST_NOTED = 500;

function note({ noted }: Reading, payload: unknown): void {
  const done = item.safeParse(payload).data?.item;
  if (done === undefined) return;
  noted.set(done.id, outcomeOfStatus(done.status));
  const [oldest] = noted.size > MOST_NOTED ? noted.keys() : [];
  if (oldest !== undefined) noted.delete(oldest);
}

function outcomeOfStatus(status: string): CallOutcome {
  if (status === "completed") return "ran";
  if (status === "failed") return "failed";
  return status === "declined" ? "refused" : "unknown";
}

function* readItem(
  reading: Reading,
  { timestamp, payload, length }: LongLine,
  tell: ReportLine,
): Generator<TranscriptCall> {
  const { type = "" } = payload;
  if (type === "function_call" || type === "custom_tool_call") {
    const begun = readCall(payload, tell);
    if (begun === undefined) return;
    const { session, folder, pending } = reading;
    yield* pending.add({ call: { ...begun, ...describeSession(session), folder, at: timestamp }, length });
  } else if (type === "function_call_output" || type === "custom_tool_call_output") {
    yield* settle(reading, payload, tell);
  } else if (type.endsWith("_call") && !ELSEWHERE.has(type))
    tell(`is a call of a kind that isn't known: ${beginningOf(type)}`);
}

function describeSession({ id, session_id = id, cwd, source }: Session) {
  const subagent = typeof source === "object" && "subagent" in source;
  return { agent: "codex", session: session_id, startedIn: cwd, subagent } as const;
}

function readCall(payload: unknown, tell: ReportLine): Pick<TranscriptCall, "id" | "tool" | "input"> | undefined {
  const { call_id: id, name, namespace } = call.safeParse(payload).data ?? {};
  const sent = withArguments.safeParse(payload).data?.arguments ?? withText.safeParse(payload).data;
  const hookInput =
    name === undefined ? undefined : toHookInput(namespace?.startsWith("mcp__") ? `${namespace}__${name}` : name, sent);
  if (id === undefined || hookInput === undefined) {
    tell("has a call that isn't one as Codex 0 writes it");
    return undefined;
  }
  return { id, ...hookInput };
}

/** What Codex tells the model about a call that it didn't make. */
const REFUSED =
  /^(?:(?:Command|Tool call) blocked by PreToolUse hook: |unsupported (?:custom tool )?call: |failed to parse function arguments)/u;

function* settle({ pending, noted }: Reading, payload: unknown, tell: ReportLine): Generator<TranscriptCall> {
  const came = output.safeParse(payload).data;
  if (came === undefined) {
    tell("has a result that isn't one as Codex 0 writes it");
    return;
  }
  const text = typeof came.output === "string" ? came.output : (came.output[0]?.text ?? "");
  const outcome = noted.get(came.call_id) ?? (REFUSED.test(text) ? "refused" : "ran");
  noted.delete(came.call_id);
  yield* pending.settle(came.call_id, outcome);
}

/**
 * The model's call as Codex describes it to hooks: its shell is `Bash`, and `command` holds the command or patch.
 * Undefined: the arguments cannot be read, so there was no call.
 */
function toHookInput(
  name: string,
  sent: string | { input: string } | undefined,
): { tool: string; input: Record<string, unknown> } | undefined {
  const tool = canonicalOf(name, CODEX_TOOLS);
  if (typeof sent === "object") return { tool, input: { command: sent.input } };
  const input = calledInput.safeParse(parseArguments(sent)).data;
  if (input === undefined) return undefined;
  const command = tool === "Bash" ? commandOf(input) : undefined;
  return { tool, input: command === undefined ? input : { command } };
}

function parseArguments(text: string | undefined): unknown {
  if (text === "") return {};
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function commandOf({ cmd, command }: Record<string, unknown>): string | undefined {
  const given = cmd ?? command;
  if (!Array.isArray(given)) return typeof given === "string" ? given : undefined;
  const words = given.filter((word): word is string => typeof word === "string");
  const [, flag, script] = words;
  return words.length === 3 && script !== undefined && /^-l?c$/u.test(flag ?? "")
    ? script
    : words.map(shellQuote).join(" ");
}
