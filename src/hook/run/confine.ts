import {
  apply,
  defineProperty,
  deleteProperty,
  freeze,
  nodeProcess,
  now,
  ObjectPrototype,
  ownKeys,
  preventExtensions,
} from "../../hook-base/primordials.ts";
import { openCappedStderr } from "../../hook-base/write.ts";

interface Confinement extends Omit<PolicyProcess, "sink"> {
  /** The user consented to real input and output, which the supervising parent limits. */
  isOutwardAllowed: boolean;
  /** The user consented to WebAssembly, in a process of its own. */
  isAssemblyAllowed?: boolean;
}

/** Narrows this process to what policies may reach, before any of them is loaded. It cannot be undone. */
export function confineProcess({ isOutwardAllowed, isAssemblyAllowed = false, ...seen }: Confinement): void {
  const sink = createSink();
  // Node's own console writes to these.
  pin(process, "stdout", sink);
  pin(process, "stderr", sink);
  pin(globalThis, "process", makePolicyProcess({ ...seen, sink }));
  if (!isOutwardAllowed) listGlobals(isAssemblyAllowed ? ["WebAssembly"] : []);
  if (seen.env !== nodeProcess.env) pin(nodeProcess, "env", seen.env);
  pin(nodeProcess, "argv", freeze([]));
  neutralizeProcess();
  emptyBuffers();
  // So that nobody can give all objects a `toJSON`, `errno` or `then`: JSON and Node's own code read such fields.
  preventExtensions(ObjectPrototype);
  freeze(Promise);
  freeze(Promise.prototype);
}

/**
 * Node cuts small buffers out of a larger one, which still holds what the engine read, and `allocUnsafe` doesn't clear
 * memory. So a policy's buffers get memory of their own, cleared.
 */
function emptyBuffers(): void {
  pin(Buffer, "poolSize", 0);
  pin(Buffer, "allocUnsafe", Buffer.alloc);
  pin(Buffer, "allocUnsafeSlow", Buffer.alloc);
}

/** Sends what policies print to stderr, up to a limit: stdout belongs to the answer. */
function createSink(): object {
  const print = openCappedStderr();
  const write = (chunk: unknown, ...rest: unknown[]): boolean => {
    if (typeof chunk === "string") print(chunk);
    const callback: unknown = typeof rest[0] === "function" ? rest[0] : rest[1];
    if (typeof callback === "function") apply(callback, undefined, []);
    return true;
  };
  const ignore = (): void => {};
  const self = function (this: unknown): unknown {
    return this;
  };
  return freeze({
    write,
    end: ignore,
    destroy: ignore,
    on: self,
    once: self,
    emit: () => false,
    removeListener: self,
    listenerCount: () => 0,
    isTTY: false,
    writable: true,
    fd: 2,
  });
}

/** Whether Node confines this process as the launcher asked: it can read drwn's own files, and start nothing. */
export function isConfined(): boolean {
  return "permission" in nodeProcess;
}

/**
 * The global names of a policy without real input and output: the language, and functions that turn text into other
 * text. Names that aren't listed are removed, so that a newer Node adds nothing: each could lead to files, connections,
 * other threads, or code that runs outside the engine's deadlines.
 */
const LANGUAGE =
  "AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date " +
  "DisposableStack Error EvalError Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array " +
  "Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set " +
  "SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal TypeError URIError Uint16Array Uint32Array " +
  "Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape " +
  "eval globalThis isFinite isNaN parseFloat parseInt undefined unescape";
const OF_NODE =
  "Buffer DOMException Event EventTarget TextDecoder TextEncoder URL URLSearchParams atob btoa clearImmediate clearInterval " +
  "clearTimeout console global process queueMicrotask setImmediate setInterval setTimeout structuredClone __drwnTimeLimit";

/** Removes every name from the global object except these and those that were consented to. */
function listGlobals(consented: readonly string[]): void {
  const kept = new Set<string | symbol>([
    ...LANGUAGE.split(" "),
    ...OF_NODE.split(" "),
    ...consented,
    Symbol.toStringTag,
  ]);
  for (const name of ownKeys(globalThis)) {
    if (!kept.has(name)) takeAway(globalThis, name);
  }
  takeAway(Atomics, "waitAsync");
  pin(globalThis, "performance", makeClock());
}

/**
 * Replaces Node's own `performance`, which calls listeners in turns that no deadline guards, and takes a millisecond to
 * create.
 */
function makeClock(): object {
  const timeOrigin = Date.now() - now();
  return freeze({ timeOrigin, now: () => now() });
}

export function takeAway(owner: object, name: string | symbol): void {
  if (!deleteProperty(owner, name)) pin(owner, name, undefined);
}

/** Defines a property that nobody can change later. */
export function pin(owner: object, name: string | symbol, value: unknown): void {
  defineProperty(owner, name, { value, configurable: false, enumerable: true, writable: false });
}

/** A policy that calls one of these has failed, whether or not it catches the error. */
const ENDINGS = ["_kill", "abort", "exit", "kill", "reallyExit"];

const LISTENING = [
  "addListener",
  "off",
  "on",
  "once",
  "prependListener",
  "prependOnceListener",
  "removeAllListeners",
  "removeListener",
  "setMaxListeners",
];

interface PolicyProcess {
  /** Called when the policy tried to end the process. */
  onEnding: (name: string) => void;
  /** What the policy may see of the environment. */
  env: Readonly<Record<string, string | undefined>>;
  nextTick: (callback: unknown, ...given: unknown[]) => void;
  /** Replaces stdout and stderr. */
  sink: object;
}

/**
 * The `process` that policies see: what a guard may ask about the machine, and nothing that leads to bindings, modules,
 * other processes or the listeners of this one. Everything in it is listed, so that a newer Node adds nothing.
 */
function makePolicyProcess({ onEnding, env, nextTick, sink }: PolicyProcess): object {
  const { arch, pid, platform, release, title, version, versions, hrtime, uptime } = process;
  const folder = process.cwd();
  const { bigint } = hrtime;
  const clock = (earlier?: [number, number]) => hrtime(earlier);
  clock.bigint = () => bigint();
  const seen: Record<string, unknown> = {
    arch,
    pid,
    platform,
    title,
    version,
    release: { ...release },
    versions: { ...versions },
    argv: [],
    execArgv: [],
    env: { ...env },
    cwd: () => folder,
    emit: () => false,
    emitWarning: () => {},
    exitCode: undefined,
    hrtime: clock,
    listenerCount: () => 0,
    listeners: () => [],
    nextTick,
    stderr: sink,
    stdin: undefined,
    stdout: sink,
    uptime: () => uptime(),
  };
  const self = () => seen;
  for (const name of LISTENING) seen[name] = self;
  for (const name of ENDINGS) {
    seen[name] = () => {
      onEnding(name);
      throw new Error(`process.${name} is not available to policies`);
    };
  }
  defineProperty(seen, Symbol.toStringTag, { value: "process" });
  return freeze(seen);
}

/** Methods that Node looks up on `process` to call them: each would hand the real process to code that replaced it. */
const EVENTFUL =
  "addListener emit eventNames getMaxListeners listenerCount listeners off on once prependListener prependOnceListener " +
  "rawListeners removeAllListeners removeListener setMaxListeners";

/** Properties that lead from `process` to modules, bindings, other processes, files or an early end. */
const MIGHTY =
  "_debugEnd _debugProcess _getActiveHandles _getActiveRequests _kill _linkedBinding _rawDebug abort binding chdir dlopen " +
  "execve finalization getActiveResourcesInfo getBuiltinModule initgroups kill loadEnvFile mainModule openStdin reallyExit " +
  "report setegid seteuid setgid setgroups setuid stdin umask addUncaughtExceptionCaptureCallback " +
  "setUncaughtExceptionCaptureCallback _startProfilerIdleNotifier _stopProfilerIdleNotifier _tickCallback";

/**
 * Makes the real `process` useless to code that reaches it in spite of everything: changing its prototypes replaces
 * nothing, and its powers are gone. The engine has already taken what it needs. It cannot be undone.
 */
function neutralizeProcess(): void {
  for (const name of EVENTFUL.split(" ")) pin(nodeProcess, name, nothing);
  for (const name of MIGHTY.split(" ")) if (name in nodeProcess) pin(nodeProcess, name, undefined);
  // Node calls it when the process ends by itself.
  pin(nodeProcess, "emit", () => false);
}

function nothing(): undefined {}
