/*
 * This code goes into a worker as text. It may use only JavaScript's globals and the functions in the list at the end.
 */

/** The parts of WebAssembly that are used here. Only the types for browsers declare them, not Node's. */
interface Assembly {
  Module: new (bytes: Uint8Array) => object;
}

/** Compiles a module and limits its own memory to this many bytes. Throws if the module doesn't allow that. */
export function compileCapped(module: Uint8Array, maxMemoryBytes: number): object {
  const { Module }: Assembly = Reflect.get(globalThis, "WebAssembly");
  return new Module(capMemory(module, Math.floor(maxMemoryBytes / 65_536)));
}

/** The same module with a limit on the memory that it defines. */
function capMemory(module: Uint8Array, mostPages: number): Uint8Array {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = module[at++];
      if (byte === undefined) throw new Error("it is cut off");
      value += (byte % 128) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < module.length) {
    const start = at;
    const id = number();
    const size = number();
    const end = at + size;
    if (id === 5) {
      const count = number();
      if (count > 1) throw new Error("it has more than one memory");
      const section = count === 0 ? [0] : [1, ...capLimits(number, mostPages)];
      return concatenate([module.subarray(0, start), [5, section.length, ...section], module.subarray(end)]);
    }
    at = end;
  }
  return module;
}

function capLimits(number: () => number, mostPages: number): number[] {
  const flags = number();
  if (flags > 1) throw new Error("its memory is of a kind that is not supported");
  const least = number();
  const most = flags === 1 ? Math.min(number(), mostPages) : mostPages;
  if (least > mostPages) throw new Error(`it wants ${least} pages of memory, more than ${mostPages}`);
  const encode = (value: number): number[] =>
    value < 128 ? [value] : [128 + (value % 128), ...encode(Math.floor(value / 128))];
  return [1, ...encode(least), ...encode(most)];
}

function concatenate(parts: readonly ArrayLike<number>[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Function declarations only, as in `EXTISM_SOURCE`. */
export const COMPILE_CAPPED_SOURCE: readonly string[] = [compileCapped, capMemory, capLimits, concatenate].map(String);
