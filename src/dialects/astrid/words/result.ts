import { isMapping } from "../../../helpers/is-type.ts";

/** A handler's verdict, in its wire format. */
export type HookResult =
  | { action: "continue" }
  | { action: "continue_with"; modifications: Readonly<Record<string, unknown>> }
  | { action: "block"; reason: string }
  | { action: "ask"; question: string; default: string | null };

const CONTINUE: HookResult = { action: "continue" };

/** A handler's answer isn't a verdict: to Astrid, the handler failed. */
export class BadOutput extends Error {}

/**
 * Reads the verdict in a handler's text. Free text says nothing, and so lets the event proceed; JSON must be a verdict.
 */
export function parseOutput(output: string): HookResult {
  const text = output.trim();
  if (text.startsWith("{")) return decodeResult(parseJson(text));
  const [prefix = ""] = /^(?:block|ask):/iu.exec(text) ?? [];
  const said = text.slice(prefix.length).trim();
  if (prefix.toLowerCase() === "block:") return { action: "block", reason: said };
  if (prefix.toLowerCase() === "ask:") return { action: "ask", question: said, default: null };
  return CONTINUE;
}

/** Reads a module's verdict: `action` with `data`, or what a command would print. Silence isn't a verdict. */
export function parseWasmOutput(output: string): HookResult {
  if (output.trim() === "") throw new BadOutput("it said nothing");
  const value = output.trim().startsWith("{") ? parseJson(output) : undefined;
  return (value === undefined ? undefined : decodeWasmAnswer(value)) ?? parseOutput(output);
}

/** A verdict's reason, never empty: the engine would take a verdict without a reason for a failure. */
export function reasonOf(result: Extract<HookResult, { action: "ask" | "block" }>): string {
  const said = result.action === "block" ? result.reason : result.question;
  return said.trim() || "the hook gave no reason";
}

/**
 * Combines everything said about one event: a block outranks an ask, which outranks modifications. The first of its
 * kind counts.
 */
export function combineResults(results: readonly HookResult[]): HookResult {
  const strongest = results.find(({ action }) => action === "block") ?? results.find(({ action }) => action === "ask");
  if (strongest !== undefined) return strongest;
  const modifications = results.flatMap((one) => (one.action === "continue_with" ? [one.modifications] : []));
  if (modifications.length === 0) return CONTINUE;
  return { action: "continue_with", modifications: Object.assign({}, ...modifications) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadOutput("its answer begins like JSON but isn't JSON, or is more than one document");
  }
}

function decodeResult(value: unknown): HookResult {
  if (!isMapping(value)) throw new BadOutput("its answer isn't an object");
  const { action, reason, question, modifications, default: answer = null } = value;
  if (action === "continue") return CONTINUE;
  if (action === "block" && typeof reason === "string") return { action, reason };
  if (action === "ask" && typeof question === "string" && (answer === null || typeof answer === "string")) {
    return { action, question, default: answer };
  }
  if (action === "continue_with" && isMapping(modifications)) return { action, modifications };
  throw new BadOutput(`its answer isn't a verdict: ${JSON.stringify(value).slice(0, 200)}`);
}

/** Undefined: it has the shape of a command's output. */
function decodeWasmAnswer(value: unknown): HookResult | undefined {
  if (!isMapping(value)) return undefined;
  const { action, data = null, reason, question } = value;
  if (data !== null && typeof data !== "string") throw new BadOutput("its data isn't text");
  if (action === "block" && reason === undefined) return { action, reason: data ?? "blocked by WASM hook" };
  if (action === "ask" && question === undefined) {
    return { action, question: data ?? "WASM hook requests user input", default: null };
  }
  if (action !== "modify") return undefined;
  const modifications = parseJson(data ?? "");
  if (!isMapping(modifications)) throw new BadOutput("its modifications aren't an object");
  return { action: "continue_with", modifications };
}
