import { createPlugin } from "@extism/extism";
import { expect, onTestFinished, test } from "vitest";
import { openWasm, type WasmCall, type WasmModule, type WasmResult } from "../../../src/helpers/handlers/wasm.ts";
import {
  COUNT,
  ECHO,
  extismModule,
  GROW_FOREVER,
  giveBack,
  HOARD,
  LOOP_FOREVER,
  report,
  say,
  TRAP,
} from "../../support/wasm-modules.ts";

const MIB = 1024 * 1024;
const MODULE = extismModule({
  functions: {
    echo: ECHO,
    block: say('{"action":"block","data":"größer"}'),
    empty: giveBack(0),
    bare: giveBack(7),
    fail: report("not today"),
    trap: TRAP,
    loop: LOOP_FOREVER,
    grow: GROW_FOREVER,
    hoard: HOARD,
    count: COUNT,
  },
});

async function callOnce({ module, maxMemoryBytes, ...call }: WasmModule & WasmCall): Promise<WasmResult> {
  const opened = openWasm({ module, maxMemoryBytes });
  try {
    return await opened.call(call);
  } finally {
    opened.close();
  }
}

function call(name: string, { input = "", timeoutMs = 20_000, maxMemoryBytes = 4 * MIB } = {}) {
  return callOnce({ module: MODULE, function: name, input, timeoutMs, maxMemoryBytes });
}

test.each([
  ["echo", '{"event":"pre_tool_call","data":"ä → 𝄞"}', '{"event":"pre_tool_call","data":"ä → 𝄞"}'],
  ["echo", "x".repeat(9000), "x".repeat(9000)],
  ["block", "ignored", '{"action":"block","data":"größer"}'],
  ["empty", "ignored", ""],
])("%s answers %o as Extism's own host does", async (name, input, output) => {
  const plugin = await createPlugin({ wasm: [{ data: MODULE }] }, { useWasi: false });
  onTestFinished(() => plugin.close());
  const reference = await plugin.call(name, input);
  expect(reference?.text() ?? "").toBe(output);
  expect(await call(name, { input })).toEqual({ kind: "answered", output, code: 0 });
});

test.each(["fail", "trap", "nowhere"])("%s is a failure here as it is with Extism's own host", async (name) => {
  const plugin = await createPlugin({ wasm: [{ data: MODULE }] }, { useWasi: false });
  onTestFinished(() => plugin.close());
  await expect(plugin.call(name, "")).rejects.toThrow();
  expect(await call(name)).toMatchObject({ kind: "failed" });
});

test("an error that the module reports is the reason", async () => {
  expect(await call("fail")).toEqual({ kind: "failed", reason: "it reports: not today" });
});

test("a number that is not zero is told, though nothing was said", async () => {
  expect(await call("bare")).toEqual({ kind: "answered", output: "", code: 7 });
});

test("a module that loops is stopped at its deadline", async () => {
  const start = performance.now();
  expect(await call("loop", { timeoutMs: 300 })).toEqual({ kind: "timeout" });
  expect(performance.now() - start).toBeLessThan(20_000);
});

test("a module that wants memory without end gets as much as it may have", async () => {
  expect(await call("grow")).toMatchObject({ kind: "failed", reason: "unreachable" });
  expect(await call("hoard")).toEqual({ kind: "failed", reason: `it wants more than ${4 * MIB} bytes of memory` });
});

test.each([
  ["no module at all", new TextEncoder().encode("<!doctype html>"), /./],
  ["nothing", new Uint8Array(), /./],
  ["half of a module", MODULE.subarray(0, MODULE.length / 2), /./],
  [
    "a module that begins with more memory than it may have",
    extismModule({ pages: 65, functions: { run: ECHO } }),
    /65 pages/,
  ],
  [
    "a module that wants what no host has",
    extismModule({ functions: { run: ECHO }, wants: { module: "extism:host/user", name: "astrid_spawn" } }),
    /extism:host\/user/,
  ],
])("%s is a failure", async (_, module, reason) => {
  const end = await callOnce({ module, function: "run", input: "", timeoutMs: 20_000, maxMemoryBytes: 4 * MIB });
  expect(end).toEqual({ kind: "failed", reason: expect.stringMatching(reason) });
});

test("an opened module answers one call after the other, and keeps nothing between them", async () => {
  const opened = openWasm({ module: MODULE, maxMemoryBytes: 4 * MIB });
  onTestFinished(() => opened.close());
  const ask = (name: string, timeoutMs = 20_000) => opened.call({ function: name, input: "", timeoutMs });
  expect(await ask("count")).toEqual({ kind: "answered", output: "", code: 1 });
  expect(await ask("count")).toEqual({ kind: "answered", output: "", code: 1 });
  expect(await ask("loop", 300)).toEqual({ kind: "timeout" });
  expect(await ask("trap")).toMatchObject({ kind: "failed" });
  const both = await Promise.all([ask("block"), ask("count")]);
  expect(both.map(({ kind }) => kind)).toEqual(["answered", "answered"]);
});

test("a module that imports WASI runs", async () => {
  const module = extismModule({
    functions: { run: say("done") },
    wants: { module: "wasi_snapshot_preview1", name: "sched_yield" },
  });
  const end = await callOnce({ module, function: "run", input: "", timeoutMs: 20_000, maxMemoryBytes: MIB });
  expect(end).toEqual({ kind: "answered", output: "done", code: 0 });
});
