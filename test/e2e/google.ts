import { z } from "zod";
import { type Conversation, callsOf, type Step, sendJson, type WireFormat } from "./wire-format.ts";

const part = z.looseObject({
  functionCall: z.looseObject({ id: z.string().optional(), name: z.string(), args: z.unknown().optional() }).optional(),
  functionResponse: z
    .looseObject({ id: z.string().optional(), name: z.string().optional(), response: z.unknown().optional() })
    .optional(),
});

const request = z.looseObject({
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).optional() }))
    .optional(),
  contents: z.array(z.looseObject({ parts: z.array(part).optional() })),
});

/** The part of Google's GenAI API that Gemini CLI needs for a whole turn. */
export const google: WireFormat = {
  route: /:(?:streamGenerateContent|generateContent)(?:\?|$)/u,
  read: readConversation,
  answer: (response, _, { step, played, url }) => {
    const value = {
      candidates: [{ content: { role: "model", parts: partsOf(step, played) }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    };
    if (!url.includes("streamGenerateContent")) {
      sendJson(response, value);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    response.end(`data: ${JSON.stringify(value)}\n\n`);
  },
};

function readConversation(body: unknown): Conversation {
  const { tools = [], contents } = request.parse(body);
  const conversation: Conversation = {
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    calls: [],
    results: [],
  };
  for (const { functionCall, functionResponse } of contents.flatMap(({ parts = [] }) => parts)) {
    if (functionCall !== undefined) {
      conversation.calls.push({ id: functionCall.id ?? "", name: functionCall.name, input: functionCall.args });
    }
    if (functionResponse !== undefined) {
      const text = JSON.stringify(functionResponse.response ?? null);
      conversation.results.push({ id: functionResponse.id ?? "", isError: text.startsWith('{"error"'), text });
    }
  }
  return conversation;
}

function partsOf(step: Step, played: number): object[] {
  if ("text" in step) return [{ text: step.text }];
  return callsOf(step).map(({ tool: name, input: args }, index) => ({
    functionCall: { id: `call_mock_${played + index + 1}`, name, args },
  }));
}
