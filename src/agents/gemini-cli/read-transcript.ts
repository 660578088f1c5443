import path from "node:path";
import { digestOf } from "../../kernel/digest.ts";
import { readIfThere } from "../../kernel/files.ts";
import * as z from "../../kernel/format/zod.ts";
import { calledInput, readJsonLines, shortText, timestampText } from "../transcript/read-lines.ts";
import type { CallOutcome, ReportGap, TranscriptCall } from "../transcript/transcript.ts";
import { GEMINI_TOOLS } from "./adapter.ts";

const CHATS = `${path.sep}chats${path.sep}`;

const beginning = z.object({
  sessionId: shortText,
  projectHash: shortText,
  kind: z.enum(["main", "subagent"]).optional(),
  directories: z.array(shortText).optional(),
});
const message = z.object({
  id: shortText,
  timestamp: timestampText,
  type: z.string(),
  toolCalls: z.array(z.unknown()).optional(),
});
type Message = z.infer<typeof message>;

/**
 * A message, which Gemini CLI writes again with each call that has ended; or a change to the session, which may give
 * all messages anew.
 */
const line = z.union([
  message.transform((one) => [one]),
  z.object({ $set: z.object({ messages: z.array(message) }) }).transform(({ $set }) => $set.messages),
  z.object({ $set: z.looseObject({ messages: z.undefined().optional() }) }).transform(() => []),
  z.object({ $rewindTo: z.string() }).transform(() => []),
  beginning.transform(() => []),
]);

interface Reading {
  whose: Pick<TranscriptCall, "session" | "subagent" | "startedIn" | "folder">;
  last: Message | undefined;
  /** Calls that have been reported. */
  reported: Set<string>;
}

/** More calls than there are between two lines with the same call. */
const MOST_REPORTED = 10_000;

export async function* readGeminiCalls(
  file: string,
  reportGap: ReportGap,
  lastBytes?: number,
): AsyncGenerator<TranscriptCall> {
  if (!file.endsWith("l")) {
    reportGap({ file, line: null, what: "is of an earlier version of Gemini CLI, whose format isn't known" });
    return;
  }
  let reading: Reading | undefined;
  for (const { number, value } of readJsonLines(file, reportGap, lastBytes)) {
    const tell = (what: string) => reportGap({ file, line: number, what });
    if (reading === undefined) {
      const first = beginning.safeParse(value).data;
      // Nothing else tells whose calls these are, or how they are written.
      if (first === undefined) return tell("isn't the beginning of a session as Gemini CLI 0.61 writes it");
      const startedIn = folderOf(file, first);
      if (startedIn === undefined) tell("doesn't say in which folder the session was started");
      reading = {
        whose: { ...sessionOf(file, first), startedIn, folder: startedIn },
        last: undefined,
        reported: new Set(),
      };
      continue;
    }
    const messages = line.safeParse(value).data;
    if (messages === undefined) tell("isn't a line as Gemini CLI 0.61 writes it");
    for (const one of messages ?? []) yield* readMessage(reading, one, tell);
  }
}

/** A subagent's hooks get the id of the session that started it. */
function sessionOf(file: string, { sessionId, kind }: z.infer<typeof beginning>) {
  const subagent = kind === "subagent";
  return { session: subagent ? path.basename(path.dirname(file)) : sessionId, subagent };
}

/** A file beside the sessions names the folder; a session has only its digest. */
function folderOf(file: string, { projectHash, directories = [] }: z.infer<typeof beginning>): string | undefined {
  const project = file.slice(0, file.lastIndexOf(CHATS));
  const root = readIfThere(path.join(project, ".project_root"), 64 * 1024)
    ?.toString("utf8")
    .trim();
  return [root, ...directories].find((folder) => folder !== undefined && digestOf(folder) === `sha256-${projectHash}`);
}

function* readMessage(reading: Reading, read: Message, tell: (what: string) => void): Generator<TranscriptCall> {
  const { whose, last, reported } = reading;
  // A message that comes with its calls has the time at which they ended.
  const at = last === undefined || last.id === read.id || last.timestamp > read.timestamp ? read : last;
  for (const one of read.toolCalls ?? []) {
    const call = toolCall.safeParse(one).data;
    if (call === undefined) {
      tell("has a call that isn't one as Gemini CLI 0.61 writes it");
      continue;
    }
    const key = `${read.id} ${call.id}`;
    if (reported.has(key)) continue;
    reported.add(key);
    const [oldest] = reported.size > MOST_REPORTED ? reported : [];
    if (oldest !== undefined) reported.delete(oldest);
    yield { agent: "gemini-cli", ...whose, at: at.timestamp, ...callOfGemini(call) };
  }
  reading.last = read;
}

const response = z.looseObject({ error: z.string().optional() });
const answer = z.looseObject({ functionResponse: z.looseObject({ response: response.optional() }).optional() });

/** A call in Gemini CLI's record of a session, which holds the calls that have ended. */
const toolCall = z.object({
  id: shortText,
  name: shortText,
  args: calledInput,
  status: z.enum(["success", "error", "cancelled"]),
  timestamp: timestampText,
  result: z.array(z.unknown()).nullish(),
  resultDisplay: z.unknown().optional(),
  displayName: shortText.optional(),
});
type ToolCall = z.infer<typeof toolCall>;

type TranscriptMessage = Pick<TranscriptCall, "id" | "tool" | "input" | "outcome" | "until">;

function callOfGemini(call: ToolCall): TranscriptMessage {
  const { id, args: input, timestamp: until } = call;
  return { id, tool: toolOf(call), input, outcome: outcomeOf(call), until };
}

/**
 * Gemini CLI shows a server's tool as `tool (server MCP Server)`, which separates the two names; its own name doesn't.
 */
function toolOf({ name, displayName = "" }: ToolCall): string {
  const [, tool, server] = /^(.+) \((.+) MCP Server\)$/su.exec(displayName) ?? [];
  return name === `mcp_${server}_${tool}` ? `mcp__${server}__${tool}` : name;
}

/**
 * What Gemini CLI tells the model about a call that it didn't make, because of a hook, a rule, a person or a bad input.
 */
const REFUSED =
  /^(?:Tool execution blocked: |Agent execution stopped by hook: |Tool execution denied by policy|Tool "[^"]*" not found|params(?:\/| must )|\[Operation Cancelled\] User (?:denied|cancelled operation))/u;

function outcomeOf({ name, status, result, resultDisplay }: ToolCall): CallOutcome {
  if (status === "success") return "ran";
  const said = answer.safeParse(result?.[0]).data?.functionResponse?.response?.error ?? "";
  if (REFUSED.test(said)) return "refused";
  // It was in progress, or it tells a person something else than the model: then it ran.
  if (status === "cancelled" || resultDisplay !== said) return "failed";
  // Gemini CLI's own tools don't throw once they run, so they didn't take this input, and no hook was asked about it.
  return Object.hasOwn(GEMINI_TOOLS, name) ? "refused" : "unknown";
}
