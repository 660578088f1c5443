import * as z from "../../kernel/format/zod.ts";
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

/** The version of the format in which Copilot CLI keeps sessions. */
const KNOWN = 1;

const line = z.object({
  type: z.string(),
  timestamp: timestampText,
  /** The id of a subagent, which its hooks get as the session's id. */
  agentId: shortText.optional(),
  data: z.looseObject({}),
});
type Line = z.infer<typeof line>;
type LongLine = Line & { length: number };

const place = z.object({ cwd: shortText });
const start = z.object({
  sessionId: shortText,
  version: z.number(),
  copilotVersion: shortText,
  context: place.optional(),
});
const resume = z.object({ context: place });
const called = z.object({
  toolCallId: shortText,
  toolName: shortText,
  arguments: z.union([calledInput, z.string()]).nullish(),
});
const completed = z.object({
  toolCallId: shortText,
  success: z.boolean(),
  error: z.looseObject({ code: z.string().optional() }).optional(),
});

interface Reading {
  session: string;
  startedIn: string | undefined;
  folder: string | undefined;
  pending: PendingCalls;
}

export function readCopilotCalls(
  file: string,
  reportGap: ReportGap,
  lastBytes?: number,
): AsyncGenerator<TranscriptCall> {
  return readSessionFile<Line, Reading>(file, reportGap, {
    lastBytes,
    line,
    stray: "isn't an event as Copilot CLI 1 writes it",
    begin: readStart,
    read: readEvent,
    rest: ({ pending }) => pending.rest(),
  });
}

function readStart({ type, data }: Line, tell: ReportLine): Reading | undefined {
  const session = type === "session.start" ? start.safeParse(data).data : undefined;
  if (session === undefined) {
    tell("isn't the beginning of a session as Copilot CLI 1 writes it");
    return undefined;
  }
  if (session.version !== KNOWN) {
    tell(
      `is of Copilot CLI ${beginningOf(session.copilotVersion)}, in version ${session.version} of its format, which isn't known`,
    );
    return undefined;
  }
  const cwd = session.context?.cwd;
  return { session: session.sessionId, startedIn: cwd, folder: cwd, pending: new PendingCalls() };
}

function* readEvent(reading: Reading, read: LongLine, tell: ReportLine): Generator<TranscriptCall> {
  const { type, data } = read;
  if (type === "tool.execution_start") yield* begin(reading, read, tell);
  else if (type === "tool.execution_complete") yield* settle(reading, read, tell);
  else if (type === "session.context_changed") reading.folder = place.safeParse(data).data?.cwd ?? reading.folder;
  else if (type === "session.resume") {
    // The session may go on in another folder, with that folder's hooks.
    const cwd = resume.safeParse(data).data?.context.cwd;
    if (cwd !== undefined) reading.startedIn = reading.folder = cwd;
  }
}

function* begin(
  reading: Reading,
  { data, agentId, timestamp, length }: LongLine,
  tell: ReportLine,
): Generator<TranscriptCall> {
  const { toolCallId: id, toolName: tool, arguments: sent } = called.safeParse(data).data ?? {};
  const input = tool === undefined ? undefined : inputOf(tool, sent);
  if (id === undefined || tool === undefined || input === undefined) {
    tell("has a call that isn't one as Copilot CLI 1 writes it");
    return;
  }
  const { session, startedIn, folder, pending } = reading;
  const whose = { session: agentId ?? session, subagent: agentId !== undefined, startedIn, folder };
  yield* pending.add({ call: { agent: "copilot-cli", ...whose, at: timestamp, id, tool, input }, length });
}

/** As the hook reads it. */
function inputOf(tool: string, sent: z.infer<typeof called>["arguments"]): Record<string, unknown> | undefined {
  if (typeof sent !== "string") return sent ?? {};
  if (tool === "apply_patch") return { input: sent };
  try {
    return calledInput.safeParse(JSON.parse(sent)).data;
  } catch {
    return undefined;
  }
}

function* settle({ pending }: Reading, { data, timestamp }: Line, tell: ReportLine): Generator<TranscriptCall> {
  const came = completed.safeParse(data).data;
  if (came === undefined) tell("has a result that isn't one as Copilot CLI 1 writes it");
  else yield* pending.settle(came.toolCallId, outcomeOf(came), timestamp);
}

/** Hooks and rules deny a call; a person rejects it. */
const REFUSED: ReadonlySet<string | undefined> = new Set(["denied", "rejected"]);

function outcomeOf({ success, error }: z.infer<typeof completed>): CallOutcome {
  if (success) return "ran";
  return REFUSED.has(error?.code) ? "refused" : "failed";
}
