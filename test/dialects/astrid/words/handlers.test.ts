import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Handler, serve } from "../../../support/servers.ts";
import { ECHO, extismModule, giveBack, LOOP_FOREVER, report, say, TRAP } from "../../../support/wasm-modules.ts";
import { fire, handlerToml, workspace } from "../world.ts";

interface Seen {
  method: string | undefined;
  headers: Record<string, unknown>;
  body: string;
}

/** What a server that answers so makes of an event, and what it got. */
async function ask(answer: string | Handler, handler: object, data: Record<string, unknown> = { tool_name: "shell" }) {
  const seen: Seen[] = [];
  const server = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method, headers } = request;
      seen.push({ method, headers, body: Buffer.concat(chunks).toString() });
      if (typeof answer === "string") response.end(answer);
      else answer(request, response);
    });
  });
  const hook = { type: "http", url: `${server.url}hook`, ...handler };
  const root = workspace({ "a/HOOK.toml": handlerToml(hook, { fail_action: "block", timeout_secs: 1, name: "web" }) });
  const { result } = await fire(root, "pre_tool_call", { data });
  return { result, seen };
}

test("A52: the context is posted as JSON, with the hook's headers", async () => {
  const { result, seen } = await ask("continue", { headers: { "X-Key": "k" } });
  expect(result).toEqual({ action: "continue" });
  expect(seen).toMatchObject([{ method: "POST", headers: { "x-key": "k", "content-type": "application/json" } }]);
  expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({
    event: "pre_tool_call",
    data: { tool_name: "shell" },
    previous_results: [],
  });
});

test("A52: a hook's own type of content is sent instead", async () => {
  const { seen } = await ask("", { headers: { "content-type": "text/plain" } });
  expect(seen[0]?.headers["content-type"]).toBe("text/plain");
});

test.each([
  ["text", "block: Not Here", { action: "block", reason: "Not Here" }],
  ["JSON", '{"action":"ask","question":"Q"}', { action: "ask", question: "Q", default: null }],
  ["nothing", "", { action: "continue" }],
  ["a page", "<!doctype html><h1>Sign in</h1>", { action: "continue" }],
])("A53: the verdict is in the body: %s", async (_, body, verdict) => {
  expect((await ask(body, {})).result).toEqual(verdict);
});

test("A54: a template is filled in, and text that looks like JSON stays text", async () => {
  const body_template =
    '{"e":"{{event}}","t":"{{tool_name}}","a":"{{arguments}}","s":"{{session_id}}","x":"{{nothing}}"}';
  const data = { tool_name: 'x","admin":"yes', arguments: { q: 'a "b"' } };
  const { seen } = await ask("", { body_template }, data);
  expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
    e: "pre_tool_call",
    t: 'x","admin":"yes',
    a: '{"q":"a \\"b\\""}',
    s: "",
    x: "{{nothing}}",
  });
});

test.each<[string, Handler | string, object, RegExp]>([
  ["nobody listens", "", { url: "http://127.0.0.1:1/" }, /ECONNREFUSED/],
  ["no answer", () => {}, {}, /did not finish in 1 s/],
  ["500", (_, response) => response.writeHead(500).end("continue"), {}, /status 500/],
  ["404 with a verdict", (_, response) => response.writeHead(404).end("continue"), {}, /status 404/],
  ["a redirect", (_, response) => response.writeHead(307, { location: "/" }).end(), {}, /redirect/],
  ["a verdict that is none", '{"action":"allow"}', {}, /isn't a verdict/],
  ["more than is read", (_, response) => response.end("x".repeat(2_000_000)), {}, /more than/],
])("A55: %s is a failure", async (_, answer, handler, reason) => {
  expect((await ask(answer, handler)).result).toEqual({ action: "block", reason: expect.stringMatching(reason) });
});

test("A56: a method can be said; GET and DELETE send no body, PUT does", async () => {
  for (const [method, length] of [
    ["GET", 0],
    ["DELETE", 0],
    ["PUT", expect.any(Number)],
  ] as const) {
    const { seen } = await ask("continue", { method });
    expect(seen).toMatchObject([{ method }]);
    expect(seen[0]?.body.length).toEqual(length);
    expect(method === "PUT").toBe((seen[0]?.body.length ?? 0) > 0);
  }
});

const MODULE = extismModule({
  functions: {
    handle: say('{"action":"block","data":"From WASM"}'),
    block: say('{"action":"block","data":null}'),
    ask: say('{"action":"ask","data":"Sure?"}'),
    modify: say('{"action":"modify","data":"{\\"a\\":1}"}'),
    go: say('{"action":"continue"}'),
    plain: say("block: Plain"),
    wire: say('{"action":"block","reason":"wire"}'),
    echo: ECHO,
    unknown: say('{"action":"allow"}'),
    broken: say('{"action":"modify","data":"{"}'),
    silent: giveBack(0),
    bare: giveBack(3),
    reports: report("out of order"),
    trap: TRAP,
    loop: LOOP_FOREVER,
  },
});

async function callModule(name: string | null, fields: object = {}, file = "hook.wasm") {
  const handler = { type: "wasm", module_path: "hook.wasm", ...(name === null ? {} : { function: name }) };
  const root = workspace({ "a/HOOK.toml": handlerToml(handler, { fail_action: "block", name: "mod", ...fields }) });
  fs.writeFileSync(path.join(root, file), MODULE);
  return (await fire(root)).result;
}

test.each([
  [null, { action: "block", reason: "From WASM" }],
  ["block", { action: "block", reason: "blocked by WASM hook" }],
  ["ask", { action: "ask", question: "Sure?", default: null }],
  ["modify", { action: "continue_with", modifications: { a: 1 } }],
  ["go", { action: "continue" }],
  ["plain", { action: "block", reason: "Plain" }],
  ["wire", { action: "block", reason: "wire" }],
])("A57, A58: a module's function %o says its verdict", async (name, verdict) => {
  expect(await callModule(name)).toEqual(verdict);
});

test("A57: a module gets the event, and its data as text", async () => {
  const result = await callModule("echo");
  const { reason } = result.action === "block" ? result : { reason: "" };
  // An event is no verdict, and the failure quotes it.
  const quoted = JSON.stringify({
    event: "pre_tool_call",
    session_id: "",
    user_id: null,
    data: '{"tool_name":"shell"}',
  });
  expect(reason).toBe(`hook mod failed: its answer isn't a verdict: ${quoted}`);
});

test.each([
  ["nowhere", /no function nowhere/],
  ["trap", /unreachable/],
  ["bare", /it returned 3/],
  ["reports", /out of order/],
  ["silent", /it said nothing/],
  ["unknown", /isn't a verdict/],
  ["broken", /begins like JSON/],
])("A59: a module's function %s is a failure", async (name, reason) => {
  expect(await callModule(name)).toEqual({ action: "block", reason: expect.stringMatching(reason) });
});

test("A59: a module that loops ends at the timeout, and one that is not there fails", async () => {
  expect(await callModule("loop", { timeout_secs: 1 })).toMatchObject({ reason: "hook mod did not finish in 1 s" });
  expect(await callModule("go", {}, "other.wasm")).toMatchObject({ reason: expect.stringMatching(/no such file/u) });
});
