import { type CommandEnd, runCommand } from "../handlers/command.ts";
import { callHttp } from "../handlers/http.ts";
import type { WasmEnd } from "../handlers/wasm.ts";
import { contextJson, contextVariables, type HookContext, renderTemplate, wasmInput } from "./context.ts";
import { commandEnvironment } from "./environment.ts";
import type { CommandHandler, Hook, HttpHandler, WasmHandler } from "./hook.ts";
import { BadOutput, type HookResult, parseOutput, parseWasmOutput } from "./result.ts";

/** How a handler ended. */
export type HandlerEnd =
  | { status: "success"; result: HookResult }
  | { status: "failure"; error: string; stderr?: string }
  | { status: "timeout"; timeoutSecs: number };

export interface WasmRequest {
  modulePath: string;
  function: string;
  input: string;
  timeoutMs: number;
}

/** What handlers have around them. */
export interface HandlerPlace {
  /** The environment of which commands get a few variables. */
  env: Readonly<Record<string, string | undefined>>;
  /** The folder of the workspace. */
  root: string;
  callWasm: (request: WasmRequest) => Promise<WasmEnd>;
}

export interface HandlerCall {
  context: HookContext;
  previous: readonly HookResult[];
  place: HandlerPlace;
}

const MOST_BYTES = 1024 * 1024;
/** A timer that is set for longer fires at once. */
const LONGEST_MS = 2 ** 31 - 1;
/** A module gets no more than half a minute, whatever its hook says. */
const LONGEST_WASM_MS = 30_000;

/** Asks the hook's handler. It never throws: whatever goes wrong is a failure, and what that means is the hook's `fail_action`. */
export async function runHandler(hook: Hook, call: HandlerCall): Promise<HandlerEnd> {
  try {
    const { handler } = hook;
    if (handler.type === "command") return await askCommand(handler, hook, call);
    if (handler.type === "http") return await askServer(handler, hook, call);
    return await askModule(handler, hook, call);
  } catch (error) {
    return { status: "failure", error: error instanceof Error ? error.message : String(error) };
  }
}

async function askCommand(handler: CommandHandler, hook: Hook, call: HandlerCall): Promise<HandlerEnd> {
  const { context, previous, place } = call;
  const end = await runCommand({
    command: handler.command,
    args: handler.args,
    input: contextJson(context, previous),
    env: { ...commandEnvironment(place.env, handler.env), ...contextVariables(context) },
    cwd: handler.workingDir === null ? place.root : fromRoot(place.root, handler.workingDir),
    timeoutMs: millisecondsOf(hook),
    maxOutputBytes: MOST_BYTES,
  });
  return readEnd(end, hook);
}

/** No code of a command but 0 lets its output count. */
function readEnd(end: CommandEnd, { timeoutSecs }: Hook): HandlerEnd {
  if (end.kind === "timeout") return { status: "timeout", timeoutSecs };
  if (end.kind === "unstartable") return { status: "failure", error: `it cannot be started: ${end.reason}` };
  const { code, stdout, stderr, truncated } = end;
  if (code !== 0) return { status: "failure", error: `Command exited with code ${code ?? -1}`, stderr };
  if (truncated) return { status: "failure", error: `it printed more than ${MOST_BYTES} bytes`, stderr };
  return readOutput(() => parseOutput(stdout));
}

async function askServer(handler: HttpHandler, hook: Hook, { context, previous }: HandlerCall): Promise<HandlerEnd> {
  const { url, method, bodyTemplate } = handler;
  const sendsBody = ["POST", "PUT", "PATCH"].includes(method);
  const body = bodyTemplate === null ? contextJson(context, previous) : renderTemplate(bodyTemplate, context);
  const isTyped = Object.keys(handler.headers).some((name) => name.toLowerCase() === "content-type");
  const end = await callHttp({
    url,
    method,
    headers: { ...(sendsBody && !isTyped ? { "Content-Type": "application/json" } : {}), ...handler.headers },
    ...(sendsBody ? { body } : {}),
    timeoutMs: millisecondsOf(hook),
    maxBytes: MOST_BYTES,
  });
  if (end.kind === "timeout") return { status: "timeout", timeoutSecs: hook.timeoutSecs };
  if (end.kind === "failed") return { status: "failure", error: end.reason };
  if (end.status < 200 || end.status > 299) return { status: "failure", error: `it answers with status ${end.status}` };
  return readOutput(() => parseOutput(end.body));
}

async function askModule(handler: WasmHandler, hook: Hook, { context, place }: HandlerCall): Promise<HandlerEnd> {
  const end = await place.callWasm({
    modulePath: fromRoot(place.root, handler.modulePath),
    function: handler.function,
    input: wasmInput(context),
    timeoutMs: Math.min(millisecondsOf(hook), LONGEST_WASM_MS),
  });
  if (end.kind === "timeout")
    return { status: "timeout", timeoutSecs: Math.min(hook.timeoutSecs, LONGEST_WASM_MS / 1000) };
  if (end.kind === "failed") return { status: "failure", error: end.reason };
  if (end.code !== 0) return { status: "failure", error: `it returned ${end.code}` };
  return readOutput(() => parseWasmOutput(end.output));
}

function readOutput(parse: () => HookResult): HandlerEnd {
  try {
    return { status: "success", result: parse() };
  } catch (error) {
    if (!(error instanceof BadOutput)) throw error;
    return { status: "failure", error: error.message };
  }
}

function millisecondsOf({ timeoutSecs }: Hook): number {
  return Math.min(timeoutSecs * 1000, LONGEST_MS);
}

function fromRoot(root: string, place: string): string {
  return place.startsWith("/") ? place : `${root}/${place}`;
}
