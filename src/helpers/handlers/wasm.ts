import { Worker } from "node:worker_threads";
import { COMPILE_CAPPED_SOURCE, compileCapped } from "./compile-capped.ts";
import { callExtism, EXTISM_SOURCE, type ExtismResult } from "./extism.ts";

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
