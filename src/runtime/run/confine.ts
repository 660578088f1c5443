import { openCappedStderr } from "../../hot/capped-output.ts";
import { apply, freeze, nodeProcess, ObjectPrototype, preventExtensions } from "../../hot/primordials.ts";
import { listGlobals, pin } from "./policy-globals.ts";
import { makePolicyProcess, type PolicyProcess } from "./policy-process.ts";
import { neutralizeProcess } from "./real-process.ts";

export interface Confinement extends Omit<PolicyProcess, "sink"> {
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
