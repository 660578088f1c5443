import * as z from "../../format/zod.ts";
import type { CallOutcome, TranscriptCall } from "../transcript/call.ts";
import { calledInput, shortText, timestampText } from "../transcript/shape.ts";
import { GEMINI_TOOLS } from "./adapter/tools.ts";

const response = z.looseObject({ error: z.string().optional() });
const answer = z.looseObject({ functionResponse: z.looseObject({ response: response.optional() }).optional() });

/** A call in Gemini CLI's record of a session, which holds the calls that have ended. */
export const toolCall = z.object({
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

export function callOfGemini(call: ToolCall): TranscriptMessage {
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
