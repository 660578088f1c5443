import type { ServerResponse } from "node:http";
import { isObject } from "../../wiring/json-file.ts";
import { type ModelProtocol, type ModelRequest, sendEvents, sendJson } from "../live/scripted-model.ts";

/** The part of Anthropic's Messages API that Claude Code needs for one turn. */
export const MESSAGES: ModelProtocol = { route: /\/messages(?:\?|$)/u, answer };

function answer(response: ServerResponse, { body, commands }: ModelRequest): void {
  const played = countCalls(body["messages"]);
  // A request without tools only asks for a title; it isn't a step.
  const command = Array.isArray(body["tools"]) && body["tools"].length > 0 ? commands[played] : undefined;
  const message = {
    id: `msg_drwn_${played}`,
    type: "message",
    role: "assistant",
    model: body["model"],
    content: [blockOf(command, played)],
    stop_reason: command === undefined ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  if (body["stream"] === true) sendStream(response, message);
  else sendJson(response, 200, message);
}

type Block = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: object };

function blockOf(command: string | undefined, played: number): Block {
  if (command === undefined) return { type: "text", text: "done" };
  const input = { command, description: "a test of drwn" };
  return { type: "tool_use", id: `toolu_drwn_${played + 1}`, name: "Bash", input };
}

function sendStream(response: ServerResponse, message: { content: Block[]; stop_reason: string }): void {
  const { content, stop_reason, ...open } = message;
  sendEvents(response, [
    { type: "message_start", message: { ...open, content: [], stop_reason: null } },
    ...content.flatMap(eventsOf),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ]);
}

function eventsOf(block: Block, index: number) {
  const [start, delta] =
    block.type === "text"
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        ];
  return [
    { type: "content_block_start", index, content_block: start },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}

function countCalls(messages: unknown): number {
  if (!Array.isArray(messages)) return 0;
  const blocks = messages.flatMap((message: unknown) =>
    isObject(message) && Array.isArray(message["content"]) ? message["content"] : [],
  );
  return blocks.filter((block: unknown) => isObject(block) && block["type"] === "tool_use").length;
}
