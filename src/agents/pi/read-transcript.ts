import * as z from "../../kernel/format/zod.ts";
import {
  calledInput,
  PendingCalls,
  type ReportLine,
  readSessionFile,
  shortText,
  timestampText,
} from "../transcript/read-lines.ts";
import type { CallOutcome, ReportGap, TranscriptCall } from "../transcript/transcript.ts";

/** Sessions of earlier versions are converted when Pi opens them. */
const KNOWN = 3;

const line = z.looseObject({ type: z.string() });
const header = z.object({ type: z.literal("session"), version: z.number(), id: shortText, cwd: shortText });

/** A message from the model, or the result of a call. */
const entry = z.object({
  timestamp: timestampText,
  message: z.discriminatedUnion("role", [
    z.object({ role: z.literal("assistant"), content: z.array(z.looseObject({ type: z.string() })) }),
    z.object({
      role: z.literal("toolResult"),
      toolCallId: shortText,
      isError: z.boolean(),
      durationMs: z.number().optional(),
      nestedCalls: z.object({ calls: z.array(z.unknown()), complete: z.boolean() }).optional(),
    }),
  ]),
});
const call = z.object({ id: shortText, name: shortText, arguments: calledInput });
/** A call that another tool made: the id is what follows that of the other call. */
const nested = z.object({ id: shortText, name: shortText, arguments: calledInput, status: z.string() });
const role = z.object({ message: z.object({ role: z.enum(["assistant", "toolResult"]) }) });

interface Reading {
  pending: PendingCalls;
  session: string;
  folder: string;
}

export function readPiCalls(file: string, reportGap: ReportGap, lastBytes?: number): AsyncGenerator<TranscriptCall> {
  return readSessionFile(file, reportGap, { line, stray: "has no type", begin, read, rest, lastBytes });
}

function begin(first: z.infer<typeof line>, tell: ReportLine): Reading | undefined {
  const said = header.safeParse(first).data;
  if (said?.version === KNOWN) return { pending: new PendingCalls(), session: said.id, folder: said.cwd };
  tell(
    said === undefined
      ? "isn't the beginning of a session of Pi"
      : `is a session of version ${said.version}, whose format isn't known`,
  );
  return undefined;
}

function rest({ pending }: Reading): Iterable<TranscriptCall> {
  return pending.rest();
}

function* read(
  { pending, session, folder }: Reading,
  said: z.infer<typeof line> & { length: number },
  tell: ReportLine,
): Generator<TranscriptCall> {
  if (said.type !== "message" || !role.safeParse(said).success) return;
  const read = entry.safeParse(said).data;
  if (read === undefined) return tell("isn't a message as Pi writes it");
  const { message, timestamp } = read;
  if (message.role === "toolResult") {
    for (const settled of pending.settle(message.toolCallId, outcomeOf(message), timestamp)) {
      yield settled;
      yield* callsWithin(settled, message.nestedCalls, tell);
    }
    return;
  }
  for (const one of message.content.filter(({ type }) => type === "toolCall")) {
    const called = call.safeParse(one).data;
    if (called === undefined) {
      tell("has a call that isn't one as Pi writes it");
      continue;
    }
    const { id, name: tool, arguments: input } = called;
    const begun = {
      agent: "pi" as const,
      session,
      folder,
      startedIn: folder,
      at: timestamp,
      id,
      tool,
      input,
      subagent: false,
    };
    yield* pending.add({ call: begun, length: said.length });
  }
}

/** Of one that ended with an error, nobody says whether it ran. */
function* callsWithin(
  outer: TranscriptCall,
  inner: { calls: unknown[]; complete: boolean } | undefined,
  tell: ReportLine,
): Generator<TranscriptCall> {
  for (const one of inner?.calls ?? []) {
    const read = nested.safeParse(one).data;
    if (read === undefined) {
      tell("has a call within a call that isn't one as Pi writes it");
      continue;
    }
    const { id, name: tool, arguments: input, status } = read;
    yield { ...outer, id: id.replaceAll("/", "."), tool, input, outcome: status === "ok" ? "ran" : "unknown" };
  }
  if (inner?.complete === false) tell("has calls within a call that Pi didn't write down");
}

/** Only a call that ran has a duration. */
function outcomeOf({ isError, durationMs }: { isError: boolean; durationMs?: number | undefined }): CallOutcome {
  if (!isError) return "ran";
  return durationMs === undefined ? "refused" : "failed";
}
