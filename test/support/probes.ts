import { AWAY, EVERY, type ProbedCapabilities } from "./probe.ts";
import { REACH_PROBE } from "./probe-of-reach.ts";
import { FILE_PROBES } from "./probes-of-files.ts";

/** Even a refused connection has left the process. */
const connect = (options: string): string =>
  `new Promise((resolve) => { const socket = require("node:net").connect(${options}); socket.on("connect", () => resolve(true)); socket.on("error", (error) => resolve(error.code === "ECONNREFUSED" || error.code === "ENOENT" || error.code === "ENOTSOCK")); })`;
const callSite = (part: string): string =>
  `(() => { const keep = Error.prepareStackTrace; Error.prepareStackTrace = (_, sites) => sites; const sites = new Error().stack; Error.prepareStackTrace = keep; return sites.map((site) => site.${part}()).find((found) => found !== undefined && found !== null && !String(found).includes("attempts")); })()`;

/** By the capabilities of the policy that tries it. */
export const PROBES: readonly ProbedCapabilities[] = [
  {
    capabilities: [],
    probes: [
      { name: "files by `node:fs`", attempt: `require("node:fs").readFileSync(${AWAY})` },
      { name: "files by `fs` without its prefix", attempt: `require("fs").readFileSync(${AWAY})` },
      { name: "files by `node:fs/promises`", attempt: `require("node:fs/promises").readFile(${AWAY})` },
      { name: "files by a dynamic import", attempt: `import("node:fs").then((fs) => fs.readFileSync(${AWAY}))` },
      { name: "a module of its own by a dynamic import", attempt: `import("data:text/javascript,export default 1")` },
      { name: "programs by `node:child_process`", attempt: `require("node:child_process").execSync("true") && true` },
      {
        name: "another thread by `node:worker_threads`",
        attempt: `new (require("node:worker_threads").Worker)("0", { eval: true })`,
      },
      { name: "connections by `node:net`", attempt: connect("1, '127.0.0.1'") },
      {
        name: "connections by `fetch`",
        attempt: `fetch("http://127.0.0.1:9").catch((error) => error.message === "fetch failed")`,
      },
      { name: "connections by `WebSocket`", attempt: `new WebSocket("ws://127.0.0.1:1")` },
      { name: "names by `node:dns`", attempt: `require("node:dns").lookup` },
      { name: "the V8 engine's flags", attempt: `require("node:v8").setFlagsFromString("--no-opt") ?? true` },
      { name: "other contexts by `node:vm`", attempt: `require("node:vm").runInNewContext("1")` },
      { name: "loaders by `node:module`", attempt: `require("node:module").createRequire(event.cwd + "/x")` },
      { name: "loaders by `module.constructor`", attempt: `module.constructor._load` },
      { name: "the debugger by `node:inspector`", attempt: `require("node:inspector").open` },
      { name: "databases by `node:sqlite`", attempt: `new (require("node:sqlite").DatabaseSync)(${AWAY})` },
      { name: "system calls by `node:wasi`", attempt: `require("node:wasi").WASI` },
      { name: "traces by `node:trace_events`", attempt: `require("node:trace_events").createTracing` },
      { name: "other policies' calls by `node:async_hooks`", attempt: `require("node:async_hooks").createHook` },
      { name: "timers of Node by `node:timers`", attempt: `require("node:timers").setTimeout` },
      { name: "streams by `node:stream`", attempt: `require("node:stream").Readable` },
      { name: "`process.binding`", attempt: `process.binding("fs")` },
      { name: "`process._linkedBinding`", attempt: `process._linkedBinding` },
      { name: "`process.dlopen`", attempt: `process.dlopen` },
      { name: "`process.getBuiltinModule`", attempt: `process.getBuiltinModule("fs")` },
      { name: "`process.mainModule`", attempt: `process.mainModule` },
      { name: "`process.report`", attempt: `process.report` },
      { name: "`process.execve`", attempt: `process.execve` },
      { name: "`process.chdir`", attempt: `process.chdir("/") ?? true` },
      { name: "a signal handler", attempt: `process.on("SIGTERM", () => {}).listenerCount("SIGTERM") > 0` },
      { name: "the environment", attempt: `process.env.SECRET` },
      { name: "the arguments of the hook process", attempt: `process.argv.length > 0` },
      {
        name: "the real process by a replaced `emit`",
        attempt: `(() => { let real; const { prototype } = require("node:events"); const keep = prototype.emit; prototype.emit = function () { real = this; return true; }; process.emit("x"); prototype.emit = keep; return real; })()`,
      },
      { name: "the real process by a stack trace", attempt: callSite("getThis") },
      { name: "a function of the engine by a stack trace", attempt: callSite("getFunction") },
      { name: "a function of the engine by `caller`", attempt: `(function attempts() { return attempts.caller; })()` },
      { name: "code from text by `Function`", attempt: `new Function("return 1")()` },
      { name: "code from text by `eval`", attempt: `(0, eval)("1")` },
      {
        name: "code from text by an async function's constructor",
        attempt: `(async () => {}).constructor("return 1")()`,
      },
      { name: "machine code by `WebAssembly`", attempt: `WebAssembly.Module` },
      { name: "a call after its end by `FinalizationRegistry`", attempt: `new FinalizationRegistry(() => {})` },
      { name: "a call after its end by `Atomics.waitAsync`", attempt: `Atomics.waitAsync` },
      { name: "a call after its end by `AbortSignal.timeout`", attempt: `AbortSignal.timeout(1)` },
      { name: "an `AbortController` by `node:util`", attempt: `require("node:util").transferableAbortController()` },
      { name: "a call after its end by `MessageChannel`", attempt: `new MessageChannel()` },
      { name: "a call after its end by `BroadcastChannel`", attempt: `new BroadcastChannel("x")` },
      {
        name: "a call after its end by a thread of `node:crypto`",
        attempt: `require("node:crypto").randomBytes(1, () => {}) ?? true`,
      },
      {
        name: "streams by the classes of `node:crypto`",
        attempt: `"Hash Hmac Sign Verify Cipheriv Decipheriv".split(" ").some((name) => {
          const found = require("node:crypto")[name];
          return "fromWeb" in found || "fromWeb" in found.prototype.constructor || "on" in found.prototype;
        })`,
      },
      REACH_PROBE,
      { name: "another cipher engine by `crypto.setEngine`", attempt: `require("node:crypto").setEngine` },
      { name: "Web Crypto", attempt: `require("node:crypto").webcrypto ?? globalThis.crypto` },
      { name: "a change of what all objects inherit", attempt: `Reflect.set(Object.prototype, "then", 1)` },
      { name: "a change of promises", attempt: `Reflect.set(Promise.prototype, "then", () => {})` },
      { name: "the hook's entry to the time limit", attempt: `__drwnTimeLimit()` },
      { name: "the output of the hook process", attempt: `process.stdout.fd === 1` },
      { name: "what the engine has read, by a small buffer", attempt: `Buffer.from("x").buffer.byteLength !== 1` },
      { name: "what the engine has read, by a buffer of a list", attempt: `Buffer.from([1]).buffer.byteLength !== 1` },
      {
        name: "what the engine has read, by a larger pool",
        attempt: `Reflect.set(Buffer, "poolSize", 8192) || Buffer.concat([Buffer.from("x")]).buffer.byteLength !== 1`,
      },
      {
        name: "memory as it was left, by `Buffer.allocUnsafe`",
        attempt: `Array.from({ length: 200 }, (_, at) => Buffer.allocUnsafe(9_000 + at)).some((bytes) => bytes.some((byte) => byte !== 0))`,
      },
      {
        name: "memory as it was left, by `Buffer.allocUnsafeSlow`",
        attempt: `Array.from({ length: 200 }, (_, at) => Buffer.allocUnsafeSlow(9_000 + at)).some((bytes) => bytes.some((byte) => byte !== 0))`,
      },
      {
        name: "a function of Node by an accessor under `structuredClone`",
        attempt: `(() => { const seen = []; const look = () => { const keep = Error.prepareStackTrace; Error.prepareStackTrace = (_, sites) => sites; seen.push(...new Error().stack); Error.prepareStackTrace = keep; }; structuredClone({ get a() { look(); return 1; } }, { get transfer() { look(); return []; } }); return seen.map((site) => site.getFunction()).find((found) => typeof found === "function" && found !== look && !/look|attempts/u.test(found)); })()`,
      },
      {
        name: "a port by replaced methods under `structuredClone`",
        attempt: `(() => { let port; for (const prototype of [EventTarget.prototype, require("node:events").prototype]) for (const key of Reflect.ownKeys(prototype)) { const keep = prototype[key]; if (typeof keep === "function") try { prototype[key] = function (...given) { port ??= this; return Reflect.apply(keep, this, given); }; } catch {} } structuredClone({ a: 1 }); return port; })()`,
      },
      {
        name: "the engine's promises by `Symbol.species`",
        attempt: `Reflect.defineProperty(Promise, Symbol.species, { value: Array })`,
      },
      {
        name: "the engine's promises by their constructor",
        attempt: `Reflect.set(Promise.prototype, "constructor", Array)`,
      },
      {
        name: "the stack of the engine by `captureStackTrace`",
        attempt: `(() => { const at = {}; const keep = Error.prepareStackTrace; Error.prepareStackTrace = (_, sites) => sites; Error.stackTraceLimit = 100; Error.captureStackTrace(at); const sites = at.stack; Error.prepareStackTrace = keep; return sites.map((site) => site.getThis()).find((found) => found !== undefined && found !== null && found !== globalThis && !Array.isArray(found) && !("beforeToolCall" in Object(found))); })()`,
      },
      {
        name: "files by what `node:assert` quotes",
        attempt: `(() => { const seen = []; const { charCodeAt } = String.prototype; String.prototype.charCodeAt = function (...given) { if (this.startsWith("#!/bin/sh")) seen.push(this); return Reflect.apply(charCodeAt, this, given); }; try { require("node:assert").ok(false); } catch {} String.prototype.charCodeAt = charCodeAt; return seen.length > 0; })()`,
      },
      {
        name: "the loader's `require.cache` and `require.main`",
        attempt: `require.cache ?? require.main ?? require.resolve ?? module.parent ?? module.children`,
      },
      {
        name: "more of the global object",
        attempt: `Object.getOwnPropertySymbols(globalThis).some((symbol) => symbol !== Symbol.toStringTag)`,
      },
      {
        name: "Web Crypto by `KeyObject`",
        attempt: `(() => { const key = require("node:crypto").createSecretKey(Buffer.alloc(16)); const made = key.toCryptoKey?.("AES-CBC", true, ["encrypt"]); return made && Object.values(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(made))).some(({ value }) => value?.subtle); })()`,
      },
      {
        name: "a URL that stands for a file, by `URL.createObjectURL`",
        attempt: `URL.createObjectURL(new (require("node:buffer").Blob)(["x"]))`,
      },
      { name: "the path of Node", attempt: `process.execPath` },
      { name: "the input of the hook process", attempt: `process.stdin` },
    ],
  },
  ...FILE_PROBES,
  {
    capabilities: ["exec"],
    probes: [
      { name: "programs", attempt: `require("node:child_process").execSync("echo 1").length`, open: EVERY },
      {
        name: "every file, by a program",
        attempt: `require("node:child_process").execFileSync("cat", [${AWAY}]).length`,
        open: EVERY,
      },
      {
        name: "connections, by a program",
        attempt: `require("node:child_process").execFileSync("sh", ["-c", "command -v sh"]).length`,
        open: EVERY,
      },
      { name: "files, by itself", attempt: `require("node:fs").readFileSync(${AWAY})` },
      { name: "the environment, but for what programs need", attempt: `process.env.SECRET` },
      { name: "another thread", attempt: `new (require("node:worker_threads").Worker)("0", { eval: true })` },
    ],
  },
  {
    capabilities: ["net"],
    probes: [
      { name: "connections to anywhere", attempt: connect("1, '127.0.0.1'"), open: EVERY },
      {
        name: "sockets of other programs on this machine",
        attempt: connect("{ path: event.cwd + '/../outside' }"),
        open: EVERY,
      },
      { name: "files", attempt: `require("node:fs").readFileSync(${AWAY})` },
      { name: "programs", attempt: `require("node:child_process").execSync("true")` },
      { name: "the environment, but for proxies", attempt: `process.env.SECRET` },
    ],
  },
  {
    capabilities: ["env"],
    probes: [
      { name: "every variable of the environment", attempt: `process.env.SECRET`, open: EVERY },
      { name: "what would change Node", attempt: `process.env.NODE_OPTIONS` },
      { name: "files", attempt: `require("node:fs").readFileSync(${AWAY})` },
    ],
  },
];
