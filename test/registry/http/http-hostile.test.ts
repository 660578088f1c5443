import { once } from "node:events";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { PackedCard } from "../../../src/card/source/pack.ts";
import { openHttp } from "../../../src/registry/http/http.ts";
import { parseBaseUrl, parseHttpUrl } from "../../../src/registry/http/url.ts";
import { openNpmRegistry } from "../../../src/registry/npm/npm.ts";
import type { Registry } from "../../../src/registry/registry.ts";
import { resolveCard } from "../../../src/registry/resolve.ts";
import { packedCard } from "../../support/cards.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { type Handler, listen, type Server, sendJson, serve } from "../../support/servers.ts";
import { makeAuthority, serveTls } from "../../support/tls.ts";

const CANARY = "canary-of-a-token";
const MEBIBYTE = 1024 * 1024;
const LIMIT = { maximumBytes: MEBIBYTE };

function optionsFor(...servers: Server[]): Record<string, unknown> {
  return Object.fromEntries(servers.map(({ url }) => [`//${new URL(url).host}/:_authToken`, CANARY]));
}

function registryAt(server: Server, deadlineMs = 5_000): Registry {
  const options = optionsFor(server);
  return openNpmRegistry({ url: server.url, http: openHttp({ options, deadlineMs }), options });
}

/** What an honest registry says of the card. */
function packumentOf(card: PackedCard, tarball: string): Record<string, unknown> {
  const { name, version } = card.manifest;
  const drwn = { hooks: card.index.hooks, tree: card.tree };
  const entry = { name, version, drwn, dist: { integrity: card.integrity, tarball } };
  return { name, versions: { [version]: entry }, time: { [version]: "2026-01-31T12:00:00.000Z" } };
}

const endless: Handler = (_, response) => {
  const chunk = Buffer.alloc(64 * 1024, 97);
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
};

describe("a registry that answers with what it must not", () => {
  test.each<[string, Handler, string]>([
    ["a web page", (_, response) => response.end("<!doctype html><title>Sign in</title>"), "DRWN_REGISTRY_INVALID"],
    ["nothing", (_, response) => response.end(), "DRWN_REGISTRY_INVALID"],
    ["JSON that is cut short", (_, response) => response.end('{"name":"@me/backend"'), "DRWN_REGISTRY_INVALID"],
    ["a name twice", (_, response) => response.end('{"name":"@me/backend","name":"@me/x"}'), "DRWN_REGISTRY_INVALID"],
    ["__proto__", (_, response) => response.end('{"name":"@me/backend","__proto__":{}}'), "DRWN_REGISTRY_INVALID"],
    ["deep nesting", (_, response) => response.end("[".repeat(100_000)), "DRWN_REGISTRY_INVALID"],
    ["another card", (_, response) => sendJson(response, { name: "@me/other", versions: {} }), "DRWN_REGISTRY_INVALID"],
    ["bytes that are no text", (_, response) => response.end(Buffer.from([0xff, 0xfe, 0x00])), "DRWN_REGISTRY_INVALID"],
    ["an endless body", endless, "DRWN_DOWNLOAD_TOO_LARGE"],
    ["a size beyond all limits", announced(10_000_000_000), "DRWN_DOWNLOAD_TOO_LARGE"],
    ["less than it announces", announced(1_000, "{}"), "DRWN_REGISTRY_UNREACHABLE"],
    ["a compressed bomb", bomb, "DRWN_DOWNLOAD_TOO_LARGE"],
    ["compression that is none", encoded("gzip", "not gzip"), "DRWN_REGISTRY_INVALID"],
    ["a teapot", (_, response) => response.writeHead(418).end(), "DRWN_REGISTRY_INVALID"],
    ["a part", (_, response) => response.writeHead(206).end("{}"), "DRWN_REGISTRY_INVALID"],
    ["a redirect to nowhere", (_, response) => response.writeHead(302).end(), "DRWN_REGISTRY_INVALID"],
    ["401", (_, response) => response.writeHead(401).end("x"), "DRWN_REGISTRY_REFUSED"],
    ["403", (_, response) => response.writeHead(403).end("x"), "DRWN_REGISTRY_REFUSED"],
    ["429 for ever", (_, response) => response.writeHead(429).end(), "DRWN_REGISTRY_UNREACHABLE"],
    ["an error with an endless body", erring, "DRWN_REGISTRY_INVALID"],
    ["an end of the connection", (_, response) => response.destroy(), "DRWN_REGISTRY_UNREACHABLE"],
    [
      "control characters",
      (_, response) => sendJson(response, { name: "\u001b]52;c;eA==\u0007" }),
      "DRWN_REGISTRY_INVALID",
    ],
  ])("%s", async (_, handler, code) => {
    const server = await serve(handler);
    const problem = await problemOf(() => registryAt(server, 10_000).versions("@me/backend"));
    expect(problem.code).toBe(code);
    expect(textOf(problem)).not.toMatch(/canary|[\u0000-\u0009\u000b-\u001f\u007f]/u);
  });

  test.each<[string, Handler]>([
    ["never answers", () => {}],
    ["answers one byte now and then", dripping],
    ["sends its headers slowly", (_, response) => dripHeaders(response.socket)],
  ])("a server that %s is left when the time is over", async (_, handler) => {
    const server = await serve(handler);
    const started = performance.now();
    const problem = await problemOf(() => registryAt(server, 400).versions("@me/backend"));
    expect(problem.code).toBe("DRWN_REGISTRY_UNREACHABLE");
    expect(problem.message).toContain("400 ms");
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test.each([
    [403, "DRWN_REGISTRY_REFUSED"],
    [500, "DRWN_REGISTRY_UNREACHABLE"],
    [302, "DRWN_URL_REFUSED"],
  ])("the body of a %i may never end, and its connection does", async (status, code) => {
    const left: Promise<unknown>[] = [];
    const server = await serve((_, response) => {
      left.push(once(response, "close"));
      response.writeHead(status, { location: "/again" }).write("no");
    });
    const problem = await problemOf(() => registryAt(server, 10_000).versions("@me/backend"));
    expect(problem.code).toBe(code);
    expect(await Promise.all(left)).toHaveLength(server.requests.length);
  });

  test("a registry that asks to come back later is asked again, a few times", async () => {
    let refusals = 2;
    const server = await serve((_, response) => {
      if (refusals-- > 0) response.writeHead(429).end();
      else sendJson(response, { name: "@me/backend", versions: {} });
    });
    expect(await registryAt(server, 20_000).versions("@me/backend")).toEqual([]);
    expect(server.requests).toHaveLength(3);
  });
});

describe("a redirect", () => {
  test("is followed to another origin without credentials, even to another port of the same host", async () => {
    const target = await serve((_, response) => response.end("there"));
    const server = await serve((_, response) => redirect(response, `${target.url}file`));
    const http = openHttp({ options: optionsFor(server, target) });
    expect(String(await http.get(`${server.url}start`, LIMIT))).toBe("there");
    expect(server.credentials).toEqual([`Bearer ${CANARY}`]);
    expect(target.credentials).toEqual([""]);
  });

  test("within the origin takes them along", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/end") response.end("there");
      else redirect(response, "/end");
    });
    await openHttp({ options: optionsFor(server) }).get(`${server.url}start`, LIMIT);
    expect(server.credentials).toEqual([`Bearer ${CANARY}`, `Bearer ${CANARY}`]);
  });

  test.each<[string, string]>([
    ["a file", "file:///etc/passwd"],
    ["plain http elsewhere", "http://192.0.2.1/card.tgz"],
    ["another protocol", "ftp://127.0.0.1/card.tgz"],
    ["data", "data:text/plain,x"],
    ["a place with credentials", "https://me:secret@example.com/card.tgz"],
    ["itself, for ever", "/start"],
  ])("to %s is refused", async (_, location) => {
    const server = await serve((_request, response) => redirect(response, location));
    const problem = await problemOf(() => openHttp({ options: {} }).get(`${server.url}start`, LIMIT));
    expect(problem.code).toBe("DRWN_URL_REFUSED");
    expect(textOf(problem)).not.toContain("secret");
    expect(server.requests.length).toBeLessThanOrEqual(6);
  });

  test("to a host that can't be reached names that host, and the one that led there", async () => {
    const server = await serve((_, response) => redirect(response, "http://127.0.0.1:1/file"));
    const problem = await problemOf(() => openHttp({ options: {} }).get(`${server.url}start`, LIMIT));
    expect(problem.code).toBe("DRWN_REGISTRY_UNREACHABLE");
    expect(problem.message).toContain("127.0.0.1:1 cannot be reached");
    expect(problem.details).toContain(`redirected from: ${server.url}start`);
  });

  test("of what is published is not followed to another place, where the token would go", async () => {
    const target = await serve((_, response) => sendJson(response, { ok: true }));
    const server = await serve((request, response) => {
      if (request.method === "PUT") redirect(response, `${target.url}x`, 307);
      else response.writeHead(404).end();
    });
    const card = await packedCard();
    await problemOf(() => registryAt(server).publish(card, new Date(0)));
    expect(target.requests).toEqual([]);
  });
});

describe("TLS", () => {
  test("is not given up for a redirect: nobody on the way may change or read what follows", async () => {
    const authority = makeAuthority();
    const target = await serve((_, response) => response.end("there"));
    const server = await serveTls(authority, (_, response) => redirect(response, `${target.url}file`));
    const options = { ...optionsFor(server, target), ca: authority.pem };
    const problem = await problemOf(() => openHttp({ options }).get(`${server.url}start`, LIMIT));
    expect(problem.code).toBe("DRWN_URL_REFUSED");
    expect(problem.message).toContain("leads away from https");
    expect(server.credentials).toEqual([`Bearer ${CANARY}`]);
    expect(target.requests).toEqual([]);
  });

  test("leads to a server that the user's settings vouch for, and credentials stay with it", async () => {
    const authority = makeAuthority();
    const target = await serveTls(authority, (_, response) => response.end("there"));
    const server = await serveTls(authority, (_, response) => redirect(response, `${target.url}file`));
    const options = { ...optionsFor(server, target), ca: authority.pem };
    expect(String(await openHttp({ options }).get(`${server.url}start`, LIMIT))).toBe("there");
    expect([server.credentials, target.credentials]).toEqual([[`Bearer ${CANARY}`], [""]]);
  });

  test("with a certificate that nobody vouches for is refused before a token is sent", async () => {
    const server = await serveTls(makeAuthority(), (_, response) => response.end("there"));
    const http = openHttp({ options: optionsFor(server), deadlineMs: 20_000 });
    const problem = await problemOf(() => http.get(`${server.url}start`, LIMIT));
    expect(problem.code).toBe("DRWN_REGISTRY_UNREACHABLE");
    expect(textOf(problem)).toMatch(/SIGNATURE|CERT/u);
    expect(server.requests).toEqual([]);
  });
});

describe("a tarball", () => {
  test.each<[string, (card: PackedCard, url: string) => string]>([
    ["at another host", () => "https://cdn.example.com/card.tgz"],
    ["at another port", () => "http://127.0.0.1:9/card.tgz"],
    ["with a password in its URL", (_, url) => url.replace("//", "//me:secret@")],
    ["in a file", () => "file:///etc/passwd"],
  ])("%s is not fetched", async (_, place) => {
    const card = await packedCard();
    const server: Server = await serve((_request, response) =>
      sendJson(response, packumentOf(card, place(card, server.url))),
    );
    const problem = await problemOf(() => registryAt(server).fetch("@me/backend", "1.0.0"));
    expect(problem.code).toBe("DRWN_URL_REFUSED");
    expect(textOf(problem)).not.toContain("secret");
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, (card: PackedCard) => Buffer, string]>([
    ["with other bytes", (card) => Buffer.concat([card.tarball, Buffer.from("x")]), "DRWN_INTEGRITY_MISMATCH"],
    ["that is too large", () => Buffer.alloc(33 * MEBIBYTE), "DRWN_DOWNLOAD_TOO_LARGE"],
    ["that is a web page", () => Buffer.from("<html>"), "DRWN_INTEGRITY_MISMATCH"],
  ])("%s is refused", async (_, spoil, code) => {
    const card = await packedCard();
    const server: Server = await serve((request, response) => {
      if (request.url === "/card.tgz") response.end(spoil(card));
      else sendJson(response, packumentOf(card, `${server.url}card.tgz`));
    });
    expect((await problemOf(() => registryAt(server).fetch("@me/backend", "1.0.0"))).code).toBe(code);
  });

  test.each<[string, (entry: Record<string, unknown>) => Record<string, unknown>]>([
    ["with no integrity", (entry) => ({ ...entry, dist: { tarball: "x" } })],
    [
      "with a sha1 alone",
      (entry) => ({ ...entry, dist: { tarball: "x", integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" } }),
    ],
    ["under another number", (entry) => ({ ...entry, version: "2.0.0" })],
    ["of another name", (entry) => ({ ...entry, name: "@me/other" })],
    ["with no hooks told", ({ drwn: _, ...entry }) => entry],
  ])("%s is none that drwn offers", async (_, spoil) => {
    const card = await packedCard();
    const packument = packumentOf(card, "x") as { versions: Record<string, Record<string, unknown>> };
    const versions = Object.fromEntries(Object.entries(packument.versions).map(([key, entry]) => [key, spoil(entry)]));
    const server = await serve((_request, response) => sendJson(response, { ...packument, versions }));
    expect(await registryAt(server).versions("@me/backend")).toEqual([]);
  });
});

describe("a URL", () => {
  test.each([
    "http://example.com/",
    "http://127.0.0.1.example.com/",
    "http://localhost.example.com/",
    "ftp://x/",
    "x",
    "",
  ])("%j is not asked", async (url) => {
    expect((await problemOf(() => parseHttpUrl(url))).code).toBe("DRWN_URL_REFUSED");
  });

  test.each(["http://127.0.0.1:4873/", "http://localhost/", "http://[::1]:1/", "https://example.com/npm/"])(
    "%j may be asked",
    (url) => {
      expect(parseBaseUrl(url)).toBe(url);
    },
  );
});

function redirect(response: Parameters<Handler>[1], location: string, status = 302): void {
  response.writeHead(status, { location }).end();
}

function announced(length: number, body = ""): Handler {
  return (_, response) => {
    response.writeHead(200, { "content-length": length });
    response.write(body, () => response.destroy());
  };
}

function encoded(encoding: string, body: string | Buffer): Handler {
  return (_, response) => response.writeHead(200, { "content-encoding": encoding }).end(body);
}

function bomb(...[request, response]: Parameters<Handler>): void {
  encoded("gzip", gzipSync(Buffer.alloc(64 * MEBIBYTE)))(request, response);
}

function erring(...[request, response]: Parameters<Handler>): void {
  response.statusCode = 418;
  endless(request, response);
}

function dripping(...[, response]: Parameters<Handler>): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(timer));
}

function dripHeaders(socket: Parameters<Handler>[1]["socket"]): void {
  socket?.write("HTTP/1.1 200 OK\r\n");
  const timer = setInterval(() => socket?.write("x-more: 1\r\n"), 20);
  socket?.on("close", () => clearInterval(timer));
}

describe("what keeps a person from a registry is named, with the way on", () => {
  test("a token in a variable that isn't set is not sent", async () => {
    const server = await serve((_, response) => sendJson(response, {}));
    const options = { [`//${new URL(server.url).host}/:_authToken`]: "$" + "{NPM_TOKEN}" };
    const problem = await problemOf(() => openHttp({ options }).get(server.url, LIMIT));
    expect([problem.code, problem.hint, server.requests]).toEqual(["DRWN_REGISTRY_REFUSED", "export NPM_TOKEN=…", []]);
    expect(problem.message).toContain("NPM_TOKEN, which isn't set");
  });

  test("a certificate of one's own", async () => {
    const authority = await makeAuthority();
    const server = await serveTls(authority, (_, response) => sendJson(response, {}));
    const problem = await problemOf(() => openHttp({ options: {} }).get(server.url, LIMIT));
    expect([problem.code, problem.hint]).toEqual(["DRWN_REGISTRY_UNREACHABLE", expect.stringContaining("cafile=")]);
  });

  test("a proxy that asks who one is", async () => {
    const listener = createServer();
    listener.on("connect", (_, socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
    const proxy = await listen(listener, "http://127.0.0.1", (_, response) => response.writeHead(407).end());
    const http = openHttp({ options: { httpsProxy: proxy.url, proxy: proxy.url } });
    const problem = await problemOf(() => http.get("https://registry.example/x", LIMIT));
    expect([problem.message, problem.hint]).toEqual([
      expect.stringContaining("asks who you are: 407"),
      expect.stringContaining("https-proxy="),
    ]);
  });

  test("a card that an npm registry may be hiding", async () => {
    const server = await serve((_, response) => response.writeHead(404).end());
    const problem = await problemOf(() => resolveCard(registryAt(server), "@me/backend", null));
    expect([problem.code, problem.details.join()]).toEqual(["DRWN_CARD_NOT_FOUND", expect.stringContaining(".npmrc")]);
  });
});
