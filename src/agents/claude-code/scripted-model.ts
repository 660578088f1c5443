import http, { type ServerResponse } from "node:http";
import { isObject } from "../../materialize/targets/json-file.ts";

const MOST_REQUESTS = 40;
const MOST_BYTES = 16 * 1024 * 1024;

export interface ScriptedModel {
  url: string;
  close(): Promise<void>;
}

/**
 * Stands in for the model of Claude Code, on 127.0.0.1 only: it asks for these shell commands, one after the other, and
 * ends the turn. Which one is next follows from the history that comes with each request.
 */
export function startScriptedModel(commands: readonly string[]): Promise<ScriptedModel> {
  let requests = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) request.destroy();
      else chunks.push(chunk);
    });
    request.on("end", () => {
      const isAsked = request.method === "POST" && /\/messages(?:\?|$)/u.test(request.url ?? "");
      if (!isAsked) return sendJson(response, request.method === "HEAD" ? 200 : 404, {});
      requests++;
      const body = parse(Buffer.concat(chunks).toString());
      if (requests > MOST_REQUESTS || !isObject(body)) return sendJson(response, 400, REFUSED);
      answer(response, body, commands);
    });
  });
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      resolve({ url: `http://127.0.0.1:${port}`, close: () => close(server) });
    });
  });
}

const REFUSED = { type: "error", error: { type: "invalid_request_error", message: "this is a test of drwn" } };

function answer(response: ServerResponse, body: Record<string, unknown>, commands: readonly string[]): void {
  const played = countCalls(body["messages"]);
  // A request without tools asks for a title, and takes no part.
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
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of [
    { type: "message_start", message: { ...open, content: [], stop_reason: null } },
    ...content.flatMap(eventsOf),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ]) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
