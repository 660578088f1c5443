import type { ExtismResult } from "../../../helpers/handlers/extism.ts";
import { type HandlerResult, readOutput } from "./handler-result.ts";
import { parseWasmOutput } from "./result.ts";

/** The memory of a module: as much as Astrid gives it. */
export const WASM_BYTES = 64 * 1024 * 1024;

/** What a call of a module's function amounts to. */
export function readWasmResult(end: ExtismResult): HandlerResult {
  if (end.kind === "failed") return { status: "failure", error: end.reason };
  if (end.code !== 0) return { status: "failure", error: `it returned ${end.code}` };
  return readOutput(() => parseWasmOutput(end.output));
}
