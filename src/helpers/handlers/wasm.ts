import { Worker } from "node:worker_threads";

export interface WasmCall {
  function: string;
  input: string;
  /** For everything: starting a worker, compiling, and the call. */
  timeoutMs: number;
}

export interface WasmModule {
  module: Uint8Array;
  /** The limit for the module's own memory, and also for the memory that it exchanges with the host. */
  maxMemoryBytes: number;
}

export type WasmResult = ExtismResult | { kind: "timeout" };

export interface OpenedWasm {
  call: (call: WasmCall) => Promise<WasmResult>;
  close: () => void;
}

/**
 * Calls functions of an Extism module in a worker that ends at the deadline, whatever the module does. Between calls
 * the compiled module stays in its worker, which does not keep the process alive.
 */
export function openWasm({ module, maxMemoryBytes }: WasmModule): OpenedWasm {
  let idle: Worker | undefined;
  let isClosed = false;
  const keep = (worker: Worker) => {
    if (idle !== undefined || isClosed) {
      void worker.terminate();
      return;
    }
    worker.unref();
    idle = worker;
  };
  return {
    call: async (call) => {
      const worker = idle ?? startWorker(module, maxMemoryBytes);
      idle = undefined;
      worker.ref();
      const { end, isUsable } = await ask(worker, call);
      if (isUsable) keep(worker);
      else void worker.terminate();
      return end;
    },
    close: () => {
      isClosed = true;
      void idle?.terminate();
      idle = undefined;
    },
  };
}

function startWorker(module: Uint8Array, maxMemoryBytes: number): Worker {
  const worker = new Worker(workerSource(), {
    eval: true,
    workerData: { module, maxMemoryBytes },
    env: {},
    // What it prints is read and dropped, since our own output is the answer.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

function workerSource(): string {
  const names = `{ compileCapped: ${compileCapped.name}, callExtism: ${callExtism.name} }`;
  return `"use strict";\n${[...COMPILE_CAPPED_SOURCE, ...EXTISM_SOURCE].join("\n")}\n(${String(serve)})(${names}, require);`;
}

/** This function goes into the worker as text, like everything that it calls. */
function serve(
  extism: { compileCapped: typeof compileCapped; callExtism: typeof callExtism },
  load: NodeJS.Require,
): void {
  const { parentPort, workerData } = load("node:worker_threads");
  const openWasi = () => {
    // Nobody who waits for an answer needs Node's warning that WASI is experimental.
    load("node:process").emitWarning = () => {};
    const { WASI } = load("node:wasi");
    const nothing = load("node:fs").openSync("/dev/null", "r+");
    return new WASI({ version: "preview1", stdin: nothing, stdout: nothing, stderr: nothing });
  };
  let module: object | undefined;
  parentPort.on("message", ({ function: name, input }: { function: string; input: string }) => {
    try {
      module ??= extism.compileCapped(workerData.module, workerData.maxMemoryBytes);
      const { maxMemoryBytes } = workerData;
      parentPort.postMessage(extism.callExtism({ module, function: name, input, maxMemoryBytes, openWasi }));
    } catch (error) {
      parentPort.postMessage({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
    }
  });
}

function ask(worker: Worker, call: WasmCall): Promise<{ end: WasmResult; isUsable: boolean }> {
  return new Promise((resolve) => {
    const finish = (end: WasmResult, isUsable: boolean) => {
      clearTimeout(deadline);
      worker.off("message", answer).off("error", fail).off("exit", die);
      // An error of a terminated worker must not end this process.
      if (!isUsable) worker.on("error", () => {});
      resolve({ end, isUsable });
    };
    const answer = (end: WasmResult) => finish(end, true);
    const fail = (error: Error) => finish({ kind: "failed", reason: error.message }, false);
    const die = () => finish({ kind: "failed", reason: "it ended without an answer" }, false);
    const deadline = setTimeout(() => finish({ kind: "timeout" }, false), call.timeoutMs);
    worker.on("message", answer).on("error", fail).on("exit", die);
    worker.postMessage({ function: call.function, input: call.input });
  });
}

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

interface ExtismCall {
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
const EXTISM_SOURCE: readonly string[] = [
  callExtism,
  openBlocks,
  toNumber,
  viewOf,
  memoryFunctions,
  speechFunctions,
  refusedFunctions,
].map(String);

/*
 * This code goes into a worker as text. It may use only JavaScript's globals and the functions in the list at the end.
 */

/** The parts of WebAssembly that are used here. Only the types for browsers declare them, not Node's. */
interface CappedAssembly {
  Module: new (bytes: Uint8Array) => object;
}

/** Compiles a module and limits its own memory to this many bytes. Throws if the module doesn't allow that. */
export function compileCapped(module: Uint8Array, maxMemoryBytes: number): object {
  const { Module }: CappedAssembly = Reflect.get(globalThis, "WebAssembly");
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
const COMPILE_CAPPED_SOURCE: readonly string[] = [compileCapped, capMemory, capLimits, concatenate].map(String);
