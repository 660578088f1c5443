import type { ToolPolicy } from "../../policy/define.ts";
import type { LifecycleHook } from "../../policy/define-hook.ts";
import { compileCapped } from "./compile-capped.ts";
import { callExtism } from "./extism.ts";
import type { HandlerTerms } from "./handler.ts";
import { handlerPolicy } from "./handler-policy.ts";

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
