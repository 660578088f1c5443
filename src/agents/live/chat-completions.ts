import type { ServerResponse } from "node:http";
import { isObject } from "../../wiring/json-file.ts";
import { type ModelProtocol, type ModelRequest, sendData, sendJson } from "./scripted-model.ts";

/** The part of OpenAI's Chat Completions API that an agent with a tool `bash` needs for one turn. */
export const CHAT_COMPLETIONS: ModelProtocol = { route: /\/chat\/completions(?:\?|$)/u, answer };

function answer(response: ServerResponse, { body, commands }: ModelRequest): void {
  const played = countCalls(body["messages"]);
  // A request without tools only asks for a title; it isn't a step.
  const command = Array.isArray(body["tools"]) && body["tools"].length > 0 ? commands[played] : undefined;
  const message = messageOf(command, played);
  const finish_reason = command === undefined ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const base = { id: `chatcmpl_drwn_${played}`, created: 1, model: body["model"] };
  if (body["stream"] !== true) {
    const choices = [{ index: 0, message, finish_reason }];
    sendJson(response, 200, { ...base, object: "chat.completion", choices, usage });
    return;
  }
  const chunk = { ...base, object: "chat.completion.chunk" };
  const chunks = [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ];
  sendData(response, chunks, "data: [DONE]\n\n");
}

function messageOf(command: string | undefined, played: number): object {
  if (command === undefined) return { role: "assistant", content: "done" };
  const input = JSON.stringify({ command, description: "a test of drwn" });
  const call = { index: 0, id: `call_drwn_${played + 1}`, type: "function" };
  return { role: "assistant", content: null, tool_calls: [{ ...call, function: { name: "bash", arguments: input } }] };
}

function countCalls(messages: unknown): number {
  if (!Array.isArray(messages)) return 0;
  return messages.flatMap((message: unknown) =>
    isObject(message) && Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [],
  ).length;
}
