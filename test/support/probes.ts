import type { Capability } from "../../src/contract/plan.ts";
import { PROBED_LINES } from "./nodes.ts";

/** One thing that a hostile policy tries. */
export interface Probe {
  /** What it would have: a phrase for `docs/isolation.md`. */
  name: string;
  /** An expression of `event`, awaited. It has got through when the value is neither undefined, null nor false. */
  attempt: string;
  /** Lines of Node on which it gets through; none when absent. */
  open?: readonly number[];
}

const EVERY = PROBED_LINES;
const AWAY = `event.cwd + "/../outside"`;
/** A refused connection has left the process all the same. */
const connect = (options: string): string =>
  `new Promise((resolve) => { const socket = require("node:net").connect(${options}); socket.on("connect", () => resolve(true)); socket.on("error", (error) => resolve(error.code === "ECONNREFUSED" || error.code === "ENOENT" || error.code === "ENOTSOCK")); })`;
const callSite = (part: string): string =>
  `(() => { const keep = Error.prepareStackTrace; Error.prepareStackTrace = (_, sites) => sites; const sites = new Error().stack; Error.prepareStackTrace = keep; return sites.map((site) => site.${part}()).find((found) => found !== undefined && found !== null && !String(found).includes("attempts")); })()`;

/** By the capabilities of the policy that tries it. */
export const PROBES: readonly { capabilities: Capability[]; probes: readonly Probe[] }[] = [
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
      { name: "another cipher engine by `crypto.setEngine`", attempt: `require("node:crypto").setEngine` },
      { name: "Web Crypto", attempt: `require("node:crypto").webcrypto ?? globalThis.crypto` },
      { name: "a change of what all objects inherit", attempt: `Reflect.set(Object.prototype, "then", 1)` },
      { name: "a change of promises", attempt: `Reflect.set(Promise.prototype, "then", () => {})` },
      { name: "the engine's entry to the guard", attempt: `__drwnGuarded()` },
      { name: "the output of the hook process", attempt: `process.stdout.fd === 1` },
      { name: "the input of the hook process", attempt: `process.stdin` },
    ],
  },
  {
    capabilities: ["fs-read"],
    probes: [
      {
        name: "files of the project",
        attempt: `require("node:fs").readFileSync(event.cwd + "/.agents/drwn/config.json")`,
        open: EVERY,
      },
      { name: "files beside the project", attempt: `require("node:fs").readFileSync(${AWAY})` },
      { name: "files beside the project by a promise", attempt: `require("node:fs/promises").readFile(${AWAY})` },
      {
        name: "files beside the project by a stream",
        attempt: `new Promise((resolve) => require("node:fs").createReadStream(${AWAY}).on("data", resolve).on("error", () => resolve(false)))`,
      },
      {
        name: "files beside the project by a link that is in the project",
        attempt: `require("node:fs").readFileSync(event.cwd + "/link")`,
        open: EVERY,
      },
      {
        name: "a new link out of the project",
        attempt: `require("node:fs").symlinkSync("/etc/passwd", event.cwd + "/new") ?? true`,
      },
      { name: "the ledger", attempt: `require("node:fs").readdirSync(event.cwd + "/../home/ledger")` },
      { name: "another policy", attempt: `require("node:fs").readdirSync(event.cwd + "/../home/projects")` },
      { name: "`/proc/self/environ`", attempt: `require("node:fs").readFileSync("/proc/self/environ")` },
      { name: "a file for writing", attempt: `require("node:fs").writeFileSync(event.cwd + "/new", "") ?? true` },
      {
        name: "what the agent has left open",
        attempt: `Array.from({ length: 40 }, (_, fd) => fd + 4).some((fd) => { try { return require("node:fs").fstatSync(fd).isFile(); } catch { return false; } })`,
      },
      { name: "programs", attempt: `require("node:child_process").execSync("true")` },
      { name: "connections", attempt: `require("node:net").connect(1)` },
      { name: "the environment", attempt: `process.env.SECRET` },
      { name: "code from text", attempt: `require("node:fs").constructor.constructor("return process")()` },
    ],
  },
  {
    capabilities: ["fs-write"],
    probes: [
      {
        name: "a new file in the project",
        attempt: `require("node:fs").writeFileSync(event.cwd + "/made", "") ?? true`,
        open: EVERY,
      },
      {
        name: "a new file beside the project",
        attempt: `require("node:fs").writeFileSync(event.cwd + "/../made", "") ?? true`,
      },
      {
        name: "a new file in drwn's home",
        attempt: `require("node:fs").writeFileSync(event.cwd + "/../home/made", "") ?? true`,
      },
      {
        name: "the content of a file of the project",
        attempt: `require("node:fs").readFileSync(event.cwd + "/.agents/drwn/config.json")`,
      },
    ],
  },
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
