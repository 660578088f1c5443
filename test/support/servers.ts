import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type https from "node:https";
import { onTestFinished } from "vitest";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Server {
  /** With a slash at its end. */
  url: string;
  /** The `Authorization` of every request, "" if there was none. */
  credentials: string[];
  requests: string[];
}

/** A server on this machine that ends with the test, whatever connections are open. */
export function serve(handler: Handler): Promise<Server> {
  return listen(http.createServer(), "http://127.0.0.1", (request, response) => {
    request.resume();
    handler(request, response);
  });
}

/** Makes the server answer with the handler until the test ends. */
export async function listen(server: http.Server | https.Server, origin: string, handler: Handler): Promise<Server> {
  const credentials: string[] = [];
  const requests: string[] = [];
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    credentials.push(request.headers.authorization ?? "");
    requests.push(`${request.method} ${request.url}`);
    handler(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { url: `${origin}:${address.port}/`, credentials, requests };
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
}
