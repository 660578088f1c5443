import { compileCapped } from "../../../helpers/handlers/compile-capped.ts";
import { callExtism } from "../../../helpers/handlers/extism.ts";
import { readVariables, runProgram } from "../../../helpers/outside/programs.ts";
import { askCommand } from "./ask-command.ts";
import { askServer } from "./ask-server.ts";
import { wasmInput } from "./context.ts";
import type { HandlerCall, HandlerResult } from "./handler-result.ts";
import { DEFAULTS } from "./hook.ts";
import { readWasmResult, WASM_BYTES } from "./read-wasm-result.ts";

/**
 * The handler that an imported hook asks. It never throws: whatever goes wrong is a failure, and the hook decides what
 * that means.
 */
export type CardHandler = (call: Omit<HandlerCall, "env">) => Promise<HandlerResult>;

export interface CommandParts {
  command: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Absent: the folder that the agent is working in. */
  workingDir?: string;
}

/** A program, started directly. Its hook declares `exec`, and `env` if the program needs to know its user. */
export function command({ command: program, args = [], env = {}, workingDir }: CommandParts): CardHandler {
  if (runProgram === undefined) {
    throw new Error(`it runs ${program}, and its hook does not declare the capability exec`);
  }
  const handler = { type: "command", command: program, args, env, workingDir: workingDir ?? null } as const;
  return (call) => guard(() => askCommand(handler, { ...call, env: readVariables(), isSupervised: true }));
}

export interface HttpParts {
  url: string;
  /** `POST` when absent. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON with `{{placeholders}}`. Absent: the whole context is sent. */
  bodyTemplate?: string;
}

/** A server that gets the event. Its hook declares `net`. */
export function http({ url, method = DEFAULTS.method, headers = {}, bodyTemplate }: HttpParts): CardHandler {
  const handler = { type: "http", url, method, headers, bodyTemplate: bodyTemplate ?? null } as const;
  return (call) => guard(() => askServer(handler, { ...call, env: {} }));
}

export interface WasmParts {
  /** The module's bytes in base64. */
  module: string;
  /** `handle` when absent. */
  function?: string;
}

/** An Extism module, which can reach nothing but its own memory. Its hook declares `wasm`. */
export function wasm({ module, function: name = DEFAULTS.function }: WasmParts): CardHandler {
  let compiled: object | undefined;
  return (call) =>
    guard(async () => {
      compiled ??= compileCapped(Buffer.from(module, "base64"), WASM_BYTES);
      const input = wasmInput(call.context);
      return readWasmResult(callExtism({ module: compiled, function: name, input, maxMemoryBytes: WASM_BYTES }));
    });
}

async function guard(ask: () => Promise<HandlerResult>): Promise<HandlerResult> {
  try {
    return await ask();
  } catch (error) {
    return { status: "failure", error: error instanceof Error ? error.message : String(error) };
  }
}
