import http, { type ServerResponse } from "node:http";
import { isObject } from "../../wiring/json-file.ts";

const MOST_REQUESTS = 40;
const MOST_BYTES = 16 * 1024 * 1024;

export interface ScriptedModel {
  url: string;
  close(): Promise<void>;
}

/** A request for the next step, and the shell commands of all steps. */
export interface ModelRequest {
  url: string;
  body: Record<string, unknown>;
  commands: readonly string[];
}

/** The protocol between an agent and its model. */
export interface ModelProtocol {
  /** The address of a request for the next step. */
  route: RegExp;
  /** Answers a request with the next of the shell commands. */
  answer(response: ServerResponse, request: ModelRequest): void;
}

/**
 * Plays an agent's model, on 127.0.0.1 only: it asks for these shell commands, one after the other, and ends the turn.
 * The history that comes with each request shows which one is next.
 */
export function startScriptedModel(
  { route, answer }: ModelProtocol,
  commands: readonly string[],
): Promise<ScriptedModel> {
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
      const url = request.url ?? "";
      const isAsked = request.method === "POST" && route.test(url);
      if (!isAsked) return sendJson(response, request.method === "HEAD" ? 200 : 404, {});
      requests++;
      const body = parse(Buffer.concat(chunks).toString());
      if (requests > MOST_REQUESTS || !isObject(body)) return sendJson(response, 400, REFUSED);
      answer(response, { url, body, commands });
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

export function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

type ServerEvent = { type: string } & Record<string, unknown>;

export function sendEvents(response: ServerResponse, events: readonly ServerEvent[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

/** Sends events without a name, for protocols that end with a mark or with nothing. */
export function sendData(response: ServerResponse, values: readonly object[], end = ""): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const value of values) response.write(`data: ${JSON.stringify(value)}\n\n`);
  response.end(end);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function close(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
