import { z } from "zod";
import { type Conversation, callsOf, type Step, sendJson, type WireFormat } from "./wire-format.ts";

const content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish();
const call = z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.unknown() }) });

const request = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }).optional() })).optional(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content,
      tool_call_id: z.string().optional(),
      tool_calls: z.array(call).nullish(),
    }),
  ),
});

/** The part of OpenAI's Chat Completions API that Copilot CLI and OpenCode need for a whole turn. */
export const chat: WireFormat = {
  route: /\/chat\/completions(?:\?|$)/u,
  read: readConversation,
  answer: (response, body, { step, played }) => {
    const { model, stream } = request.parse(body);
    const message = messageOf(step, played);
    const finish_reason = "tool_calls" in message ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const base = { id: "chatcmpl_mock", created: 1, model };
    if (stream !== true) {
      sendJson(response, {
        ...base,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason }],
        usage,
      });
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const chunk = { ...base, object: "chat.completion.chunk" };
    for (const data of [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
    ]) {
      response.write(`data: ${JSON.stringify(data)}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  },
};

function readConversation(body: unknown): Conversation {
  const { tools = [], messages } = request.parse(body);
  const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? []);
  const results = messages.filter(({ role }) => role === "tool");
  return {
    tools: tools.map((tool) => tool.function?.name ?? ""),
    calls: calls.map(({ id, function: { name, arguments: input } }) => ({ id, name, input })),
    results: results.map(({ tool_call_id: id = "", content: text }) => ({ id, isError: false, text: plain(text) })),
  };
}

function plain(text: z.infer<typeof content>): string {
  return Array.isArray(text) ? text.map((block) => block.text ?? "").join("\n") : (text ?? "");
}

function messageOf(step: Step, played: number): object {
  if ("text" in step) return { role: "assistant", content: step.text };
  const tool_calls = callsOf(step).map(({ tool, input }, index) => ({
    index,
    id: `call_mock_${played + index + 1}`,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(input) },
  }));
  return { role: "assistant", content: null, tool_calls };
}
