import { defineProperty, deleteProperty, freeze, now, ownKeys } from "../../hot/primordials.ts";

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
  "clearTimeout console global process queueMicrotask setImmediate setInterval setTimeout structuredClone __drwnGuarded";

/** Removes every name from the global object except these and those that were consented to. */
export function listGlobals(consented: readonly string[]): void {
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
