import { z } from "zod";
import { type Conversation, callsOf, type Step, sendEvents, sendJson, type WireFormat } from "./wire-format.ts";

const tool = z.looseObject({ name: z.string().optional(), type: z.string().optional() });
const content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]);

const item = z.union([
  z.looseObject({
    type: z.enum(["function_call", "custom_tool_call"]),
    call_id: z.string(),
    name: z.string(),
    arguments: z.unknown().optional(),
    input: z.unknown().optional(),
  }),
  z.looseObject({
    type: z.enum(["function_call_output", "custom_tool_call_output"]),
    call_id: z.string(),
    output: content,
  }),
  // What Codex offers a model with code mode.
  z.looseObject({ type: z.literal("additional_tools"), tools: z.array(tool) }),
  z.looseObject({ type: z.string().optional() }).transform(() => undefined),
]);

const request = z.looseObject({
  stream: z.boolean().optional(),
  tools: z.array(tool).optional(),
  input: z.array(item),
});

/** The part of OpenAI's Responses API that Codex needs for a whole turn. Text as input calls a tool that takes text. */
export const responses: WireFormat = {
  route: /\/responses(\?|$)/u,
  read: readConversation,
  answer: (response, body, { step, played }) => {
    const { stream } = request.parse(body);
    const id = `resp_mock_${played}`;
    const output = outputOf(step, played);
    const usage = {
      input_tokens: 10,
      input_tokens_details: null,
      output_tokens: 5,
      output_tokens_details: null,
      total_tokens: 15,
    };
    if (stream !== true) {
      sendJson(response, { id, object: "response", status: "completed", output, usage });
      return;
    }
    const events: ({ type: string } & Record<string, unknown>)[] = [
      { type: "response.created", response: { id } },
      // Copilot CLI wants to hear about an item before it is done, and about all of them at the end.
      ...output.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item },
        { type: "response.output_item.done", output_index, item },
      ]),
      {
        type: "response.completed",
        response: { id, status: "completed", output, usage, end_turn: callsOf(step).length === 0 },
      },
    ];
    sendEvents(response, events);
  },
};

const nameOf = ({ name, type }: z.infer<typeof tool>): string => name ?? type ?? "";

function readConversation(body: unknown): Conversation {
  const { tools = [], input } = request.parse(body);
  const conversation: Conversation = {
    tools: tools.map(nameOf),
    calls: [],
    results: [],
  };
  for (const part of input) {
    if (part === undefined) continue;
    if (part.type === "additional_tools") conversation.tools.push(...part.tools.map(nameOf));
    if (part.type === "function_call" || part.type === "custom_tool_call") {
      conversation.calls.push({ id: part.call_id, name: part.name, input: part.arguments ?? part.input });
    } else if (part.type === "function_call_output" || part.type === "custom_tool_call_output") {
      const text = typeof part.output === "string" ? part.output : part.output.map(({ text = "" }) => text).join("\n");
      conversation.results.push({ id: part.call_id, isError: false, text });
    }
  }
  return conversation;
}

function outputOf(step: Step, played: number): object[] {
  if ("text" in step) {
    return [
      { type: "message", id: "msg_mock", role: "assistant", content: [{ type: "output_text", text: step.text }] },
    ];
  }
  return callsOf(step).map(({ tool: name, input, ...grouped }, index) => {
    const call_id = `call_mock_${played + index + 1}`;
    return typeof input === "string"
      ? { type: "custom_tool_call", id: `ctc_${call_id}`, call_id, name, input }
      : { type: "function_call", id: `fc_${call_id}`, call_id, name, ...grouped, arguments: JSON.stringify(input) };
  });
}
