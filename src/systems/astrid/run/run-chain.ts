import { describeAstridFailure, type HandlerEnd } from "../words/ask.ts";
import type { AstridContext } from "../words/context.ts";
import { type Hook, titleOf } from "../words/hook.ts";
import type { Matches } from "../words/matcher.ts";
import { combineResults, type HookResult } from "../words/result.ts";
import { type HandlerRequest, runHandler } from "./run-handler.ts";

/** A hook that can be run: its matcher is compiled. */
export interface ReadyHook {
  hook: Hook;
  matches: Matches;
}

/** What became of one hook. */
export interface HookExecution {
  hook: Hook;
  milliseconds: number;
  end: HandlerEnd | { status: "skipped"; reason: string };
}

export interface AstridDispatched {
  /** What all hooks together say of the event. */
  result: HookResult;
  executions: readonly HookExecution[];
  /** What a person should be told. */
  warnings: readonly string[];
}

export interface ChainRequest {
  /** In the order in which they run. */
  hooks: readonly ReadyHook[];
  context: AstridContext;
  place: Omit<HandlerRequest, "context" | "previous">;
}

/** Lower priorities first; equal ones as they were found. */
export function inOrder(hooks: readonly ReadyHook[]): ReadyHook[] {
  return [...hooks].sort((one, other) => one.hook.priority - other.hook.priority);
}

/**
 * Runs the hooks of the event one after the other. A block ends the chain, and so does the failure of a hook that says that
 * its failure is a rejection. A hook that is skipped changes nothing for the others.
 */
export async function runChain({ hooks, context, place }: ChainRequest): Promise<AstridDispatched> {
  const executions: HookExecution[] = [];
  const warnings: string[] = [];
  const said: HookResult[] = [];
  const succeeded: HookResult[] = [];
  for (const ready of hooks) {
    const { hook } = ready;
    if (hook.event !== context.event) continue;
    const start = performance.now();
    const reason = whySkipped(ready, context);
    const end =
      reason === undefined
        ? await runHandler(hook, { ...place, context, previous: [...succeeded] })
        : ({ status: "skipped", reason } as const);
    executions.push({ hook, milliseconds: performance.now() - start, end });
    if (end.status === "skipped") continue;
    if (end.status === "success") succeeded.push(end.result);
    else if (hook.failAction === "warn") warnings.push(describeAstridFailure(titleOf(hook), end));
    const result = end.status === "success" ? end.result : rejectionFor(hook, end);
    if (result !== undefined) said.push(result);
    if (result?.action === "block") break;
  }
  return { result: combineResults(said), executions, warnings };
}

function whySkipped({ hook, matches }: ReadyHook, { data }: AstridContext): string | undefined {
  if (!hook.enabled) return "it is not enabled";
  return matches(data) ? undefined : "its matcher does not match";
}

function rejectionFor(hook: Hook, end: HandlerEnd): HookResult | undefined {
  return hook.failAction === "block"
    ? { action: "block", reason: describeAstridFailure(titleOf(hook), end) }
    : undefined;
}
