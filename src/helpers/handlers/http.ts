import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";

export interface HttpCall {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** For everything: connecting, sending, and reading the whole answer. */
  timeoutMs: number;
  /** The limit for the answer's body. */
  maxBytes: number;
}

export type HttpResult =
  | { kind: "answered"; status: number; body: string }
  | { kind: "failed"; reason: string }
  | { kind: "timeout" };

/**
 * Sends one request and reads the whole answer, whatever its status. A redirect is a failure, since nobody consented to
 * its target.
 */
export function callHttp(call: HttpCall): Promise<HttpResult> {
  return new Promise((resolve) => {
    let request: ClientRequest;
    try {
      request = open(call);
    } catch (error) {
      resolve({ kind: "failed", reason: explain(error) });
      return;
    }
    const end = (result: HttpResult) => {
      clearTimeout(deadline);
      resolve(result);
      request.destroy();
    };
    const deadline = setTimeout(() => end({ kind: "timeout" }), call.timeoutMs);
    request.on("error", (error) => end({ kind: "failed", reason: explain(error) }));
    request.on("response", (response) => read(response, call, end));
    request.end(call.body);
  });
}

function open({ url, method, headers, body }: HttpCall): ClientRequest {
  const address = new URL(url);
  const client = { "http:": http, "https:": https }[address.protocol];
  if (client === undefined) throw new Error(`${address.protocol} is neither http: nor https:`);
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  // Without an agent the connection isn't reused, and ends with the answer.
  return client.request(address, { method, headers: { ...headers, ...length }, agent: false });
}

function read(response: IncomingMessage, call: HttpCall, end: (result: HttpResult) => void): void {
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400) {
    end({ kind: "failed", reason: `it answers with a redirect (status ${status})` });
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  response.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > call.maxBytes) end({ kind: "failed", reason: `it answers with more than ${call.maxBytes} bytes` });
    else chunks.push(chunk);
  });
  response.on("error", (error) => end({ kind: "failed", reason: explain(error) }));
  response.on("end", () => end({ kind: "answered", status, body: Buffer.concat(chunks).toString("utf8") }));
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return "the request failed";
  // Several addresses were tried, and the outer error has no message.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0].message;
  return error.message;
}
