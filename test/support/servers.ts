import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Server {
  /** With a slash at its end. */
  url: string;
  /** `Authorization` of every request that came, "" where there was none. */
  credentials: string[];
  requests: string[];
}

/** A server on this machine that ends with the test, whatever connections are open. */
export async function serve(handler: Handler): Promise<Server> {
  const credentials: string[] = [];
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    credentials.push(request.headers.authorization ?? "");
    requests.push(`${request.method} ${request.url}`);
    request.resume();
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
  return { url: `http://127.0.0.1:${address.port}/`, credentials, requests };
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
}
