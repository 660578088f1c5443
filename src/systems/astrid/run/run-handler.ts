import type { WasmResult } from "../../../helpers/handlers/wasm.ts";
import { askCommand } from "../words/ask-command.ts";
import { askServer } from "../words/ask-server.ts";
import { wasmInput } from "../words/context.ts";
import { fromRoot, type HandlerCall, type HandlerResult, millisecondsOf } from "../words/handler-result.ts";
import type { Hook, WasmHandler } from "../words/hook.ts";
import { readWasmResult } from "../words/read-wasm-result.ts";

export interface WasmRequest {
  modulePath: string;
  function: string;
  input: string;
  timeoutMs: number;
}

export interface HandlerRequest extends Omit<HandlerCall, "timeoutSecs"> {
  callWasm: (request: WasmRequest) => Promise<WasmResult>;
}

/** A module gets at most half a minute, whatever its hook says. */
const LONGEST_WASM = 30;

/**
 * Asks the hook's handler. Never throws: whatever goes wrong is a failure, and the hook's `fail_action` says what that
 * means.
 */
export async function runHandler({ handler, timeoutSecs }: Hook, request: HandlerRequest): Promise<HandlerResult> {
  try {
    const call = { ...request, timeoutSecs };
    if (handler.type === "command") return await askCommand(handler, call);
    if (handler.type === "http") return await askServer(handler, call);
    return await askModule(handler, { ...request, timeoutSecs: Math.min(timeoutSecs, LONGEST_WASM) });
  } catch (error) {
    return { status: "failure", error: error instanceof Error ? error.message : String(error) };
  }
}

async function askModule(handler: WasmHandler, call: HandlerRequest & HandlerCall): Promise<HandlerResult> {
  const end = await call.callWasm({
    modulePath: fromRoot(call.root, handler.modulePath),
    function: handler.function,
    input: wasmInput(call.context),
    timeoutMs: millisecondsOf(call),
  });
  return end.kind === "timeout" ? { status: "timeout", timeoutSecs: call.timeoutSecs } : readWasmResult(end);
}
