import * as z from "../../kernel/format/zod.ts";
import {
  beginningOf,
  calledInput,
  PendingCalls,
  readJsonLines,
  shortText,
  timestampText,
} from "../transcript/read-lines.ts";
import type { CallOutcome, ReportGap, TranscriptCall } from "../transcript/transcript.ts";

/** The versions that write this format. */
const KNOWN = /^0\.\d/u;

const line = z.object({ type: z.string() });

/** A message from the model, or the result of a call. */
const message = z.object({
  type: z.enum(["assistant", "tool_result"]),
  version: shortText.optional(),
  sessionId: shortText,
  timestamp: timestampText,
  cwd: shortText.optional(),
  isSidechain: z.boolean().optional(),
  message: z.object({ parts: z.array(z.unknown()) }),
  toolCallResult: z.object({ callId: shortText, executionStatus: z.string().optional() }).optional(),
});
type Message = z.infer<typeof message>;

const part = z.looseObject({ functionCall: z.unknown().optional() });
const call = z.object({ id: shortText, name: shortText, args: calledInput });
/** The call of a tool that the model wasn't offered: hooks get the call in it. */
const envelope = z.object({ name: shortText, arguments: calledInput });

export async function* readQwenCalls(
  file: string,
  reportGap: ReportGap,
  lastBytes?: number,
): AsyncGenerator<TranscriptCall> {
  const pending = new PendingCalls();
  let startedIn: string | undefined;
  for (const { number, value, length } of readJsonLines(file, reportGap, lastBytes)) {
    const tell = (what: string) => reportGap({ file, line: number, what });
    const said = readMessage(value, tell);
    if (said === undefined) continue;
    startedIn ??= said.cwd;
    const { toolCallResult: result, timestamp } = said;
    if (result !== undefined) yield* pending.settle(result.callId, outcomeOf(result.executionStatus), timestamp);
    else for (const begun of callsIn(said, tell)) yield* pending.add({ call: { ...begun, startedIn }, length });
  }
  yield* pending.rest();
}

/** Undefined: it isn't a message, or isn't known to be one. */
function readMessage(value: unknown, tell: (what: string) => void): Message | undefined {
  const { type } = line.safeParse(value).data ?? {};
  if (type === undefined) tell("has no type");
  if (type !== "assistant" && type !== "tool_result") return undefined;
  const said = message.safeParse(value).data;
  if (said === undefined) tell("isn't a message as Qwen Code 0 writes it");
  else if (said.version === undefined || !KNOWN.test(said.version)) {
    tell(`is of Qwen Code ${beginningOf(said.version ?? "without a version")}, whose format isn't known`);
    return undefined;
  }
  return said;
}

type BegunCall = Omit<TranscriptCall, "outcome" | "until">;

function* callsIn(said: Message, tell: (what: string) => void): Generator<BegunCall> {
  for (const one of said.message.parts) {
    const { functionCall } = part.safeParse(one).data ?? {};
    if (functionCall === undefined) continue;
    const read = call.safeParse(functionCall).data;
    if (read === undefined) {
      tell("has a call that isn't one as Qwen Code 0 writes it");
      continue;
    }
    const inner = read.name === "tool_call" ? envelope.safeParse(read.args).data : undefined;
    yield {
      agent: "qwen-code",
      session: said.sessionId,
      folder: said.cwd,
      at: said.timestamp,
      id: read.id,
      tool: inner?.name ?? read.name,
      input: inner?.arguments ?? read.args,
      subagent: said.isSidechain === true,
    };
  }
}

function outcomeOf(status: string | undefined): CallOutcome {
  if (status === "not_started") return "refused";
  if (status === "success") return "ran";
  return status === "error" ? "failed" : "unknown";
}
