import path from "node:path";
import * as z from "../../format/zod.ts";
import { digestOf } from "../../kernel/digest.ts";
import { readIfThere } from "../../kernel/read-file.ts";
import type { ReportGap, TranscriptCall } from "../transcript/call.ts";
import { readJsonLines } from "../transcript/lines.ts";
import { shortText, timestampText } from "../transcript/shape.ts";
import { CHATS } from "./paths.ts";
import { callOfGemini, toolCall } from "./transcript-call.ts";

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
