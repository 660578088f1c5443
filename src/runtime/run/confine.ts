import { apply, freeze, nodeProcess, ObjectPrototype, preventExtensions } from "../../hot/primordials.ts";
import { openOutlet } from "../../hot/printed.ts";
import { listGlobals, pin } from "./policy-globals.ts";
import { makePolicyProcess, type PolicyProcess } from "./policy-process.ts";
import { disarmProcess } from "./real-process.ts";

export interface Confinement extends Omit<PolicyProcess, "sink"> {
  /** The policy consented to do real input and output, which a supervising parent limits. */
  isOutwardAllowed: boolean;
  /** It consented to run WebAssembly, in a process of its own. */
  isAssemblyAllowed?: boolean;
}

/** Narrows this process to what policies may reach. It cannot be undone, and is done before any of them is loaded. */
export function confineProcess({ isOutwardAllowed, isAssemblyAllowed = false, ...seen }: Confinement): void {
  const sink = createSink();
  // Node's own console writes to these.
  pin(process, "stdout", sink);
  pin(process, "stderr", sink);
  pin(globalThis, "process", makePolicyProcess({ ...seen, sink }));
  if (!isOutwardAllowed) listGlobals(isAssemblyAllowed ? ["WebAssembly"] : []);
  if (seen.env !== nodeProcess.env) pin(nodeProcess, "env", seen.env);
  pin(nodeProcess, "argv", freeze([]));
  disarmProcess();
  emptyBuffers();
  // Nobody adds `toJSON`, `errno` or `then` to all objects: Node's own code reads such fields, and so does JSON.
  preventExtensions(ObjectPrototype);
  freeze(Promise);
  freeze(Promise.prototype);
}

/**
 * Node cuts small buffers out of one larger one, in which the engine's have left what it read, and gives out memory as it was
 * found. A policy's buffers are their own, and empty.
 */
function emptyBuffers(): void {
  pin(Buffer, "poolSize", 0);
  pin(Buffer, "allocUnsafe", Buffer.alloc);
  pin(Buffer, "allocUnsafeSlow", Buffer.alloc);
}

/** What policies print goes to stderr, up to a point: stdout belongs to the answer. */
function createSink(): object {
  const print = openOutlet();
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
