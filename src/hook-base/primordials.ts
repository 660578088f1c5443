/**
 * The built-ins that the engine uses after foreign code has run, taken while they are still Node's own. A policy may
 * replace `JSON.stringify` or add a setter to `Array.prototype`, and that must not affect code that runs after it.
 *
 * Code that runs after that uses only: own fields of records that were made with every field present, lists from
 * `newList`, loops over indexes, template literals of strings and numbers, and the functions below. It does not use
 * methods of values, spread in calls, `for … of`, array destructuring, regular expressions or promises.
 */

type Method = (this: never, ...given: never[]) => unknown;
type Uncurried<F> = F extends (this: infer T, ...given: infer A) => infer R ? (self: T, ...given: A) => R : never;

/** `method.call` as a function that nobody can replace. */
function uncurry<F extends Method>(method: F): Uncurried<F> {
  return Function.prototype.call.bind(method) as Uncurried<F>;
}

export const { apply, defineProperty, deleteProperty, get: getField, getPrototypeOf, ownKeys } = Reflect;
export const { freeze, preventExtensions } = Object;
export const { setPrototypeOf } = Object;
export const { parse: parseJson } = JSON;
const { stringify } = JSON;
export const { isArray } = Array;
export const { isFinite: isFiniteNumber } = Number;
export const { ceil, floor, max, min, round } = Math;
export const ObjectPrototype = Object.prototype;
export const codeUnitAt: (text: string, index: number) => number = uncurry(String.prototype.charCodeAt);
export const sliceText: (text: string, start: number, end?: number) => string = uncurry(String.prototype.slice);
const execute: (pattern: RegExp, text: string) => object | null = uncurry(
  RegExp.prototype.exec as (this: RegExp, text: string) => RegExpExecArray | null,
);
const isOwnEnumerable: (object: object, key: PropertyKey) => boolean = uncurry(Object.prototype.propertyIsEnumerable);

export { isOwnEnumerable };

/** The first match of a global pattern from `start` on. It calls the original `exec`. */
export function matchFrom(pattern: RegExp, text: string, start: number): object | null {
  pattern.lastIndex = start;
  return execute(pattern, text);
}

const Cells = Int32Array;
const SharedCells = SharedArrayBuffer;

export const startTimer = setTimeout;
export const stopTimer = clearTimeout;

const settled = Promise.resolve();
const then = uncurry(Promise.prototype.then as (this: Promise<void>, work: () => void) => Promise<void>);

/**
 * Starts a microtask without the bookkeeping of Node's `queueMicrotask`, which is left corrupted if a callback is cut
 * off. The work catches its own errors.
 */
export function startMicrotask(work: () => void): void {
  then(settled, work);
}

const encoder = new TextEncoder();
/** Unlike `Buffer.from` it reads no property of byte arrays, all of which a policy can replace. */
export const encodeText: (text: string) => Uint8Array = encoder.encode.bind(encoder);
export const newBytes = Buffer.allocUnsafeSlow.bind(Buffer) as (length: number) => Uint8Array;

export const lengthOfBytes = uncurry(
  Reflect.getOwnPropertyDescriptor(Reflect.getPrototypeOf(Uint8Array.prototype) ?? {}, "length")?.get as (
    this: Uint8Array,
  ) => number,
);
export const copyBytes: (target: Uint8Array, source: Uint8Array, offset: number) => void = uncurry(
  Uint8Array.prototype.set as (this: Uint8Array, source: Uint8Array, offset: number) => void,
);
type SliceBytes = (this: Uint8Array, start: number, end: number) => string;
// The native function behind `toString` of a `Buffer`.
const sliceUtf8 = uncurry(Reflect.get(Buffer.prototype, "utf8Slice") as SliceBytes);
export const decodeLatin1 = uncurry(Reflect.get(Buffer.prototype, "latin1Slice") as SliceBytes);

const writeBase64 = uncurry(Reflect.get(Buffer.prototype, "base64Write") as (this: Uint8Array, text: string) => number);
export function decodeBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  return bytes.subarray(0, writeBase64(bytes, text));
}

/** How many bytes the text has in UTF-8. */
export function byteLength(text: string): number {
  return lengthOfBytes(encodeText(text));
}

export function decodeBytes(bytes: Uint8Array, end: number = lengthOfBytes(bytes)): string {
  return sliceUtf8(bytes, 0, end);
}

/** The real `process`: policies get another. */
export const nodeProcess = process;
const reallyExit: unknown = Reflect.get(process, "reallyExit");
/** Ends the process at once, without calling any listener. */
export function exitNow(code: number): void {
  if (typeof reallyExit === "function") apply(reallyExit, nodeProcess, [code]);
}

const kill: unknown = Reflect.get(process, "_kill");
const { pid } = process;
const SIGKILL = 9;
/** The same without Node's cleanup, which this process doesn't need: it has no children. */
export function killNow(): void {
  if (typeof kill === "function") apply(kill, nodeProcess, [pid, SIGKILL]);
}

const waitFor = Atomics.wait.bind(Atomics) as (cell: Int32Array, index: number, value: number, ms: number) => string;

export function sleep(milliseconds: number): void {
  waitFor(new Cells(new SharedCells(4)), 0, 0, milliseconds);
}

/** Seconds since this process started, with microsecond precision. */
const { uptime } = process;
/** Milliseconds since this process started. */
export function now(): number {
  return uptime() * 1000;
}

/** The JSON text of a string. For a primitive, `stringify` runs no foreign code. */
export function quoteJson(text: string): string {
  return stringify(text);
}

/** A list without a prototype, so that setting a field runs no foreign code. */
export function newList<T>(length: number, fill: T): T[] {
  const list: T[] = setPrototypeOf([], null);
  for (let i = 0; i < length; i++) list[i] = fill;
  return list;
}
