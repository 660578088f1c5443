import { makePolicyProcess, type PolicyProcess } from "./policy-process.ts";
import { apply, defineProperty, deleteProperty, freeze, ObjectPrototype, preventExtensions } from "./primordials.ts";
import { writeSome } from "./write.ts";

/**
 * What leads to real input and output, or to code that runs outside of the engine's deadlines. Without it everything a
 * policy does later goes through the engine's own timers, or through microtasks.
 */
const OUTWARD_GLOBALS = [
  "AbortController",
  "AbortSignal",
  "Blob",
  "BroadcastChannel",
  "CompressionStream",
  "DecompressionStream",
  "EventSource",
  "File",
  "FinalizationRegistry",
  "FormData",
  "Headers",
  "MessageChannel",
  "MessageEvent",
  "MessagePort",
  "PerformanceObserver",
  "Request",
  "Response",
  "WebAssembly",
  "WebSocket",
  "Worker",
  "caches",
  "crypto",
  "fetch",
  "localStorage",
  "navigator",
  "sessionStorage",
];

export interface Confinement extends Omit<PolicyProcess, "sink"> {
  /** The policy consented to do real input and output, which a supervising parent limits. */
  isOutwardAllowed: boolean;
}

/** Narrows this process to what policies may reach. It cannot be undone, and is done before any of them is loaded. */
export function confineProcess({ isOutwardAllowed, ...seen }: Confinement): void {
  if (!isOutwardAllowed) closeOutward();
  const sink = createSink();
  // Node's own console writes to these.
  put(process, "stdout", sink);
  put(process, "stderr", sink);
  put(globalThis, "process", makePolicyProcess({ ...seen, sink }));
  // Nobody adds `toJSON`, `errno` or `then` to all objects: Node's own code reads such fields, and so does JSON.
  preventExtensions(ObjectPrototype);
  freeze(Promise);
  freeze(Promise.prototype);
}

function closeOutward(): void {
  for (const name of OUTWARD_GLOBALS) drop(globalThis, name);
  drop(Atomics, "waitAsync");
}

function drop(owner: object, name: string): void {
  if (!deleteProperty(owner, name)) put(owner, name, undefined);
}

function put(owner: object, name: string, value: unknown): void {
  defineProperty(owner, name, { value, configurable: false, enumerable: true, writable: false });
}

const MAXIMUM_OUTPUT = 65_536;

/** What policies print goes to stderr, up to a point: stdout belongs to the answer. */
function createSink(): object {
  let left = MAXIMUM_OUTPUT;
  const write = (chunk: unknown, ...rest: unknown[]): boolean => {
    if (typeof chunk === "string" && left > 0) {
      left -= chunk.length;
      writeSome(2, chunk);
    }
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
