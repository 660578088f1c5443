/*
 * Runs a function of an Extism module. The code below goes into a worker as text (`EXTISM_SOURCE`), so it may use only
 * JavaScript's globals and the functions in that list.
 */

/** The parts of WebAssembly that are used here. Only the types for browsers declare them, not Node's. */
interface Assembly {
  Module: { imports: (module: object) => { module: string; name: string }[] };
  Instance: new (module: object, imports: Record<string, object>) => { exports: Record<string, unknown> };
}

/** The parts of `node:wasi` that are used if the module imports it. */
interface Wasi {
  getImportObject: () => Record<string, object>;
  initialize: (instance: object) => void;
}

export interface ExtismCall {
  /** A compiled module, for example from `compileCapped`. */
  module: object;
  function: string;
  input: string;
  /** The limit for the blocks that module and host exchange. */
  maxMemoryBytes: number;
  /** Called for a module that imports WASI. */
  openWasi?: () => Wasi;
}

/** `code` is what the function returned. For Extism, everything except 0 is a failure. */
export type ExtismResult = { kind: "answered"; output: string; code: number } | { kind: "failed"; reason: string };

/** Calls the function in a new instance, so that no call finds traces of an earlier one. */
export function callExtism(call: ExtismCall): ExtismResult {
  try {
    const { Instance, Module }: Assembly = Reflect.get(globalThis, "WebAssembly");
    const blocks = openBlocks(call.maxMemoryBytes);
    const said: ExtismOutput = { output: "", error: undefined };
    const input = new TextEncoder().encode(call.input);
    const host = { ...memoryFunctions(blocks, input), ...speechFunctions(blocks, said), ...refusedFunctions() };
    const isWasi = Module.imports(call.module).some(({ module }) => module === "wasi_snapshot_preview1");
    const wasi = isWasi ? call.openWasi?.() : undefined;
    const imports = { "extism:host/env": host, ...wasi?.getImportObject() };
    const { exports } = new Instance(call.module, imports);
    const { memory, _initialize } = exports;
    if (wasi !== undefined)
      wasi.initialize({ exports: { memory, ...(_initialize === undefined ? {} : { _initialize }) } });
    const wanted = Object.hasOwn(exports, call.function) ? exports[call.function] : undefined;
    if (typeof wanted !== "function") return { kind: "failed", reason: `it has no function ${call.function}` };
    const code = Number(wanted() ?? 0);
    if (said.error !== undefined) return { kind: "failed", reason: `it reports: ${said.error}` };
    return { kind: "answered", output: said.output, code };
  } catch (error) {
    return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
  }
}

interface Blocks {
  alloc: (length: number) => number;
  free: (offset: number) => void;
  lengthOf: (offset: number) => number;
  store: (bytes: Uint8Array) => number;
  at: (offset: number, length: number) => Uint8Array;
}

/** Memory that host and module share: blocks in one array, each known by its offset. Offset 0 isn't a block. */
function openBlocks(most: number): Blocks {
  let bytes = new Uint8Array(4096);
  let next = 8;
  const lengths = new Map<number, number>();
  const freed = new Map<number, number[]>();
  const takeNew = (length: number) => {
    const offset = next;
    if (!(next + length <= most)) throw new Error(`it wants more than ${most} bytes of memory`);
    next = Math.ceil((next + length + 1) / 8) * 8;
    if (next > bytes.length) {
      const larger = new Uint8Array(Math.max(next, bytes.length * 2));
      larger.set(bytes);
      bytes = larger;
    }
    return offset;
  };
  const alloc = (length: number) => {
    const offset = freed.get(length)?.pop() ?? takeNew(length);
    lengths.set(offset, length);
    return offset;
  };
  const free = (offset: number) => {
    const length = lengths.get(offset);
    if (length === undefined) return;
    lengths.delete(offset);
    const places = freed.get(length);
    if (places === undefined) freed.set(length, [offset]);
    else places.push(offset);
  };
  const at = (offset: number, length: number) => {
    if (!(offset >= 0 && offset + length <= next)) throw new Error("it reaches outside of its memory");
    return bytes.subarray(offset, offset + length);
  };
  const store = (given: Uint8Array) => {
    const offset = alloc(given.length);
    bytes.set(given, offset);
    return offset;
  };
  return { alloc, free, lengthOf: (offset) => lengths.get(offset) ?? 0, store, at };
}

type HostFunctions = Record<string, (...given: bigint[]) => unknown>;

/** What a module has reported through host functions. */
interface ExtismOutput {
  output: string;
  error: string | undefined;
}

function toNumber(value: bigint | undefined): number {
  return Number(BigInt.asUintN(64, value ?? 0n));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The first part of the functions that Extism offers to a module as `extism:host/env`: memory and input. */
function memoryFunctions(blocks: Blocks, input: Uint8Array): HostFunctions {
  let inputOffset: number | undefined;
  const read = (offset: bigint | undefined, length: number) => {
    const at = toNumber(offset);
    if (!(at + length <= input.length)) throw new Error("it reads beyond its input");
    return viewOf(input.subarray(at, at + length));
  };
  return {
    alloc: (length) => BigInt(blocks.alloc(toNumber(length))),
    free: (offset) => blocks.free(toNumber(offset)),
    length: (offset) => BigInt(blocks.lengthOf(toNumber(offset))),
    length_unsafe: (offset) => BigInt(blocks.lengthOf(toNumber(offset))),
    load_u8: (offset) => viewOf(blocks.at(toNumber(offset), 1)).getUint8(0),
    load_u64: (offset) => viewOf(blocks.at(toNumber(offset), 8)).getBigUint64(0, true),
    store_u8: (offset, value) => viewOf(blocks.at(toNumber(offset), 1)).setUint8(0, Number(value)),
    store_u64: (offset, value) => viewOf(blocks.at(toNumber(offset), 8)).setBigUint64(0, value ?? 0n, true),
    input_length: () => BigInt(input.length),
    input_offset: () => {
      inputOffset ??= blocks.store(input);
      return BigInt(inputOffset);
    },
    input_load_u8: (offset) => read(offset, 1).getUint8(0),
    input_load_u64: (offset) => read(offset, 8).getBigUint64(0, true),
  };
}

/** The second part: output, errors, and variables that last for one call. */
function speechFunctions(blocks: Blocks, said: ExtismOutput): HostFunctions {
  const variables = new Map<string, Uint8Array>();
  const textAt = (offset: number, length: number) => new TextDecoder().decode(blocks.at(offset, length));
  const text = (offset: bigint | undefined) => textAt(toNumber(offset), blocks.lengthOf(toNumber(offset)));
  return {
    output_set: (offset, length) => {
      said.output = textAt(toNumber(offset), toNumber(length));
    },
    error_set: (offset) => {
      said.error = offset === 0n ? undefined : text(offset);
    },
    config_get: () => 0n,
    var_get: (name) => {
      const value = variables.get(text(name));
      return value === undefined ? 0n : BigInt(blocks.store(value));
    },
    var_set: (name, value) => {
      if (value === 0n) variables.delete(text(name));
      else variables.set(text(name), blocks.at(toNumber(value), blocks.lengthOf(toNumber(value))).slice());
    },
  };
}

/** The third part: functions that a module may not use. Its logs are dropped. */
function refusedFunctions(): HostFunctions {
  const silence = () => {};
  const logs = ["trace", "debug", "info", "warn", "error"].map((level) => [`log_${level}`, silence]);
  return {
    ...Object.fromEntries(logs),
    get_log_level: () => 0x7fff_ffff,
    http_request: () => {
      throw new Error("it may not use the network");
    },
    http_status_code: () => 0,
    http_headers: () => 0n,
  };
}

/**
 * Everything above as text. It contains only function declarations: if a bundler renames one, the declaration itself
 * has the new name, unlike the text of a class or a constant.
 */
export const EXTISM_SOURCE: readonly string[] = [
  callExtism,
  openBlocks,
  toNumber,
  viewOf,
  memoryFunctions,
  speechFunctions,
  refusedFunctions,
].map(String);
