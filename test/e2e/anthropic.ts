import { z } from "zod";
import { type Conversation, callsOf, type Step, sendEvents, sendJson, type WireFormat } from "./wire-format.ts";

const textBlock = z.looseObject({ type: z.literal("text"), text: z.string() });
const block = z.union([
  textBlock,
  z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.looseObject({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    is_error: z.boolean().optional(),
    content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).optional(),
  }),
  z.looseObject({ type: z.string() }).transform(() => undefined),
]);

const request = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  messages: z.array(z.looseObject({ content: z.union([z.string(), z.array(block)]) })),
});

type Block = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: unknown };

/** The part of Anthropic's Messages API that Claude Code needs for a whole turn. */
export const anthropic: WireFormat = {
  route: /\/messages(\?|$)/u,
  read: readConversation,
  answer: (response, body, { step, played }) => {
    const { model, stream } = request.parse(body);
    const message = buildMessage(model, step, played);
    if (stream === true) sendEvents(response, streamMessage(message));
    else sendJson(response, message);
  },
};

function readConversation(body: unknown): Conversation {
  const { tools = [], messages } = request.parse(body);
  const conversation: Conversation = { tools: tools.map(({ name }) => name), calls: [], results: [] };
  for (const part of messages.flatMap(({ content }) => (typeof content === "string" ? [] : content))) {
    if (part?.type === "tool_use") conversation.calls.push({ id: part.id, name: part.name, input: part.input });
    if (part?.type === "tool_result") {
      const { tool_use_id: id, is_error: isError = false, content = "" } = part;
      const text = typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
      conversation.results.push({ id, isError, text });
    }
  }
  return conversation;
}

function buildMessage(model: string, step: Step, played: number) {
  const calls = callsOf(step);
  const content: Block[] = calls.map(({ tool, input }, index) => ({
    type: "tool_use",
    id: `toolu_mock_${played + index + 1}`,
    name: tool,
    input,
  }));
  if ("text" in step) content.push({ type: "text", text: step.text });
  return {
    id: `msg_mock_${played}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  };
}

function streamMessage(message: ReturnType<typeof buildMessage>) {
  const { stop_reason, stop_sequence, usage } = message;
  return [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    ...message.content.flatMap(streamBlock),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: { output_tokens: usage.output_tokens } },
    { type: "message_stop" },
  ];
}

function streamBlock(content: Block, index: number) {
  const [start, delta] =
    content.type === "text"
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text: content.text },
        ]
      : [
          { ...content, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(content.input) },
        ];
  return [
    { type: "content_block_start", index, content_block: start },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}
