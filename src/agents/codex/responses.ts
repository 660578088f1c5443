import type { ServerResponse } from "node:http";
import { isObject } from "../../wiring/json-file.ts";
import { type ModelProtocol, type ModelRequest, sendEvents } from "../live/scripted-model.ts";

/** The part of OpenAI's Responses API that Codex needs for one turn. */
export const RESPONSES: ModelProtocol = { route: /\/responses(?:\?|$)/u, answer };

function answer(response: ServerResponse, { body, commands }: ModelRequest): void {
  const played = countCalls(body["input"]);
  const command = commands[played];
  const id = `resp_drwn_${played}`;
  const usage = {
    input_tokens: 1,
    input_tokens_details: null,
    output_tokens: 1,
    output_tokens_details: null,
    total_tokens: 2,
  };
  sendEvents(response, [
    { type: "response.created", response: { id } },
    { type: "response.output_item.done", output_index: 0, item: itemOf(command, played) },
    { type: "response.completed", response: { id, usage, end_turn: command === undefined } },
  ]);
}

function itemOf(command: string | undefined, played: number): object {
  if (command === undefined) {
    return { type: "message", id: "msg_drwn", role: "assistant", content: [{ type: "output_text", text: "done" }] };
  }
  const call_id = `call_drwn_${played + 1}`;
  return {
    type: "function_call",
    id: `fc_${call_id}`,
    call_id,
    name: "exec_command",
    arguments: JSON.stringify({ cmd: command }),
  };
}

function countCalls(input: unknown): number {
  if (!Array.isArray(input)) return 0;
  return input.filter((item: unknown) => isObject(item) && item["type"] === "function_call").length;
}
