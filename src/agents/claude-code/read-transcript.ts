import { isRecord } from "../../hook-base/shape.ts";
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
const KNOWN = /^2\.\d/u;

/** A message from the model or to it. */
const message = z.object({
  type: z.enum(["assistant", "user"]),
  version: shortText.optional(),
  sessionId: shortText,
  timestamp: timestampText,
  cwd: shortText.optional(),
  isSidechain: z.boolean().optional(),
  message: z.object({ content: z.union([z.string(), z.array(z.unknown())]) }),
  toolDenialKind: z.string().optional(),
  permissionDecision: z.object({ decision: z.string() }).optional(),
});
type Message = z.infer<typeof message>;

const use = z.object({ type: z.literal("tool_use"), id: shortText, name: shortText, input: calledInput });
const result = z.object({
  type: z.literal("tool_result"),
  tool_use_id: shortText,
  is_error: z.boolean().optional(),
  content: z.unknown().optional(),
});

/** Calls that the model's provider runs itself. */
const ELSEWHERE = new Set(["server_tool_use", "mcp_tool_use"]);

export async function* readClaudeCalls(
  file: string,
  reportGap: ReportGap,
  lastBytes?: number,
): AsyncGenerator<TranscriptCall> {
  const pending = new PendingCalls();
  let startedIn: string | undefined;
  for (const { number, value, length } of readJsonLines(file, reportGap, lastBytes)) {
    const tell = (what: string) => reportGap({ file, line: number, what });
    const said = readMessage(value, tell);
    if (said === undefined || typeof said.message.content === "string") continue;
    startedIn ??= said.cwd;
    for (const part of said.message.content) {
      const kind = typeOf(part);
      if (kind === "tool_result") yield* settle(pending, { part, said, tell });
      else if (kind === "tool_use") yield* begin(pending, { part, said, tell, startedIn, length });
      else if (kind.endsWith("tool_use") && !ELSEWHERE.has(kind))
        tell(`has a call of a kind that isn't known: ${beginningOf(kind)}`);
    }
  }
  yield* pending.rest();
}

/** Undefined: it isn't a message, or isn't known to be one. */
function readMessage(value: unknown, tell: (what: string) => void): Message | undefined {
  const type = typeOf(value);
  if (type === "") tell("has no type");
  if (type !== "assistant" && type !== "user") return undefined;
  const said = message.safeParse(value).data;
  if (said === undefined) tell("isn't a message as Claude Code 2 writes it");
  else if (said.version === undefined || !KNOWN.test(said.version)) {
    tell(`is of Claude Code ${beginningOf(said.version ?? "without a version")}, whose format isn't known`);
    return undefined;
  }
  return said;
}

/** The type of a line or a part, read without a schema since most aren't about calls; "": it has none. */
function typeOf(value: unknown): string {
  return isRecord(value) && typeof value["type"] === "string" ? value["type"] : "";
}

interface Part {
  part: unknown;
  said: Message;
  tell: (what: string) => void;
}

interface BegunPart extends Part {
  startedIn: string | undefined;
  length: number;
}

function* begin(pending: PendingCalls, { part, said, tell, startedIn, length }: BegunPart): Generator<TranscriptCall> {
  const call = use.safeParse(part).data;
  if (call === undefined) {
    tell("has a call that isn't one as Claude Code 2 writes it");
    return;
  }
  yield* pending.add({
    call: {
      agent: "claude-code",
      session: said.sessionId,
      folder: said.cwd,
      startedIn,
      at: said.timestamp,
      id: call.id,
      tool: call.name,
      input: call.input,
      subagent: said.isSidechain === true,
    },
    length,
  });
}

function* settle(pending: PendingCalls, { part, said, tell }: Part): Generator<TranscriptCall> {
  const came = result.safeParse(part).data;
  if (came === undefined) tell("has a result that isn't one as Claude Code 2 writes it");
  else yield* pending.settle(came.tool_use_id, outcomeOf(came, said));
}

function outcomeOf(
  { is_error, content }: z.infer<typeof result>,
  { toolDenialKind, permissionDecision }: Message,
): CallOutcome {
  if (toolDenialKind !== undefined || permissionDecision?.decision === "reject") return "refused";
  if (is_error !== true) return "ran";
  // The tool is unknown or doesn't take this input, so no hook was asked about the call.
  const isNoCall =
    permissionDecision === undefined && typeof content === "string" && content.startsWith("<tool_use_error>");
  return isNoCall ? "refused" : "failed";
}
