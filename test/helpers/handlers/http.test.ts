import net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { callHttp, type HttpCall } from "../../../src/helpers/handlers/http.ts";
import { type Handler, serve } from "../../support/servers.ts";

async function call(handler: Handler, parts: Partial<HttpCall> = {}) {
  const { url } = await serve(handler);
  return callHttp({ url, method: "POST", headers: {}, timeoutMs: 20_000, maxBytes: 1000, ...parts });
}

test("a request has its method, its headers and its body, and the answer whatever its status", async () => {
  const handler: Handler = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      response.statusCode = 418;
      response.end(`${request.method} ${request.headers["x-key"]} ${Buffer.concat(chunks).toString()}`);
    });
  };
  expect(await call(handler, { method: "PUT", headers: { "X-Key": "k" }, body: "größer" })).toEqual({
    kind: "answered",
    status: 418,
    body: "PUT k größer",
  });
  expect(await call(handler, { method: "GET" })).toMatchObject({ body: "GET undefined " });
});

test("a redirect is a failure, and nobody follows it", async () => {
  const target = await serve((_, response) => response.end("continue"));
  const end = await call((_, response) => response.writeHead(302, { location: target.url }).end());
  expect(end).toEqual({ kind: "failed", reason: "it answers with a redirect (status 302)" });
  expect(target.requests).toEqual([]);
});

test("an answer above the cap is a failure", async () => {
  expect(await call((_, response) => response.end("x".repeat(1001)))).toEqual({
    kind: "failed",
    reason: "it answers with more than 1000 bytes",
  });
});

test.each<[string, Handler]>([
  ["never answers", () => {}],
  [
    "stops in the middle of its answer",
    (_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("continue");
    },
  ],
])("a server that %s is left at the deadline", async (_, handler) => {
  expect(await call(handler, { timeoutMs: 300 })).toEqual({ kind: "timeout" });
});

test("a server that drips its answer is left at the deadline", async () => {
  const end = await call(
    (_, response) => {
      const drip = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(drip));
    },
    { timeoutMs: 300 },
  );
  expect(end).toEqual({ kind: "timeout" });
});

test("an answer that breaks off is a failure", async () => {
  const end = await call((_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("continue", () => response.destroy());
  });
  expect(end).toMatchObject({ kind: "failed" });
});

test("what is no HTTP is a failure", async () => {
  const server = net.createServer((socket) => socket.end("220 welcome\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const end = await call(() => {}, { url: `http://127.0.0.1:${port}/` });
  expect(end).toMatchObject({ kind: "failed" });
});

test.each([
  ["http://127.0.0.1:1/", /ECONNREFUSED/],
  ["file:///etc/passwd", /neither http: nor https:/],
  ["not an address", /Invalid URL/],
])("%s is a failure", async (url, reason) => {
  const end = await call(() => {}, { url });
  expect(end).toEqual({ kind: "failed", reason: expect.stringMatching(reason) });
});

test("a header that would begin another one is a failure", async () => {
  expect(await call(() => {}, { headers: { "x-key": "a\r\nb: c" } })).toMatchObject({ kind: "failed" });
});
