import type { LifecycleHook, ToolPolicy } from "../../policy/define.ts";
import { handlerPolicy } from "./handler-policy.ts";
import type { HandlerTerms } from "./protocols.ts";
import { callExtism, compileCapped } from "./wasm.ts";

export interface WasmPolicyOptions {
  /** The module in base64. */
  module: string;
  function: string;
}

const MOST_MEMORY = 64 * 1024 * 1024;

/**
 * A hook for which an Extism module decides. The module reaches only its input; if it loops, it ends with the policy's
 * process.
 */
export function wasmPolicy(terms: HandlerTerms, handler: WasmPolicyOptions): LifecycleHook | ToolPolicy {
  return handlerPolicy(terms, ({ text }) => {
    const module = compileCapped(Buffer.from(handler.module, "base64"), MOST_MEMORY);
    const end = callExtism({ module, function: handler.function, input: text, maxMemoryBytes: MOST_MEMORY });
    if (end.kind === "failed") throw new Error(`the module fails: ${end.reason}`);
    return { code: end.code, output: end.output, errors: "" };
  });
}
