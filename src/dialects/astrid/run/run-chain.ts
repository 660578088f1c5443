import type { WasmResult } from "../../../helpers/handlers/wasm.ts";
import { type AstridContext, wasmInput } from "../words/context.ts";
import {
  fromRoot,
  type HandlerCall,
  type HandlerResult,
  type Link,
  millisecondsOf,
  runLinks,
} from "../words/handler-result.ts";
import { askCommand, askServer, readWasmResult } from "../words/handlers.ts";
import { type Hook, hookTitle, type Matches, type WasmHandler } from "../words/hook.ts";
import type { HookResult } from "../words/result.ts";

/** A hook that is ready to run: its matcher is compiled. */
export interface ReadyHook {
  hook: Hook;
  matches: Matches;
}

/** How one hook ended. */
export interface HookExecution {
  hook: Hook;
  milliseconds: number;
  end: HandlerResult | { status: "skipped"; reason: string };
}

export interface AstridDispatched {
  /** What all hooks together say about the event. */
  result: HookResult;
  executions: readonly HookExecution[];
  /** What a person should know. */
  warnings: readonly string[];
}

interface ChainRequest {
  /** In the order in which they run. */
  hooks: readonly ReadyHook[];
  context: AstridContext;
  place: Omit<HandlerRequest, "context" | "previous">;
}

/** Lower priorities first; equal ones as they were found. */
export function inOrder(hooks: readonly ReadyHook[]): ReadyHook[] {
  return [...hooks].sort((one, other) => one.hook.priority - other.hook.priority);
}

/** Runs the hooks of the event one after the other. */
export async function runChain({ hooks, context, place }: ChainRequest): Promise<AstridDispatched> {
  const executions: HookExecution[] = [];
  const links = hooks.flatMap((ready): Link[] => {
    const { hook } = ready;
    if (hook.event !== context.event) return [];
    const ask = async (previous: readonly HookResult[]) => {
      const start = performance.now();
      const reason = whySkipped(ready, context);
      const end: HookExecution["end"] =
        reason === undefined ? await runHandler(hook, { ...place, context, previous }) : { status: "skipped", reason };
      executions.push({ hook, milliseconds: performance.now() - start, end });
      return end.status === "skipped" ? undefined : end;
    };
    return [{ title: hookTitle(hook), failAction: hook.failAction, ask }];
  });
  const { result, warnings } = await runLinks(links);
  return { result, executions, warnings };
}

function whySkipped({ hook, matches }: ReadyHook, { data }: AstridContext): string | undefined {
  if (!hook.enabled) return "it is not enabled";
  return matches(data) ? undefined : "its matcher does not match";
}

export interface WasmRequest {
  modulePath: string;
  function: string;
  input: string;
  timeoutMs: number;
}

interface HandlerRequest extends Omit<HandlerCall, "timeoutSecs"> {
  callWasm: (request: WasmRequest) => Promise<WasmResult>;
}

/** A module gets at most half a minute, whatever its hook says. */
const LONGEST_WASM = 30;

/**
 * Asks the hook's handler. Never throws: whatever goes wrong is a failure, and the hook's `fail_action` says what that
 * means.
 */
async function runHandler({ handler, timeoutSecs }: Hook, request: HandlerRequest): Promise<HandlerResult> {
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
