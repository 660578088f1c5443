import type { HookContext } from "./context.ts";
import { type Hook, titleOf } from "./hook.ts";
import type { Matches } from "./matcher.ts";
import { combineResults, type HookResult } from "./result.ts";
import { type HandlerEnd, type HandlerPlace, runHandler } from "./run-handler.ts";

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

export interface Dispatched {
  /** What all hooks together say of the event. */
  result: HookResult;
  executions: readonly HookExecution[];
  /** What a person should be told. */
  warnings: readonly string[];
}

export interface ChainRequest {
  /** In the order in which they run. */
  hooks: readonly ReadyHook[];
  context: HookContext;
  place: HandlerPlace;
}

/** Lower priorities first; equal ones as they were found. */
export function inOrder(hooks: readonly ReadyHook[]): ReadyHook[] {
  return [...hooks].sort((one, other) => one.hook.priority - other.hook.priority);
}

/**
 * Runs the hooks of the event one after the other. A block ends the chain, and so does the failure of a hook that says that
 * its failure is a rejection. A hook that is skipped changes nothing for the others.
 */
export async function runChain({ hooks, context, place }: ChainRequest): Promise<Dispatched> {
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
        ? await runHandler(hook, { context, previous: [...succeeded], place })
        : ({ status: "skipped", reason } as const);
    executions.push({ hook, milliseconds: performance.now() - start, end });
    if (end.status === "skipped") continue;
    if (end.status === "success") succeeded.push(end.result);
    else if (hook.failAction === "warn") warnings.push(describeFailure(hook, end));
    const result = end.status === "success" ? end.result : rejectionFor(hook, end);
    if (result !== undefined) said.push(result);
    if (result?.action === "block") break;
  }
  return { result: combineResults(said), executions, warnings };
}

function whySkipped({ hook, matches }: ReadyHook, { data }: HookContext): string | undefined {
  if (!hook.enabled) return "it is not enabled";
  return matches(data) ? undefined : "its matcher does not match";
}

function rejectionFor(hook: Hook, end: HandlerEnd): HookResult | undefined {
  return hook.failAction === "block" ? { action: "block", reason: describeFailure(hook, end) } : undefined;
}

function describeFailure(hook: Hook, end: HandlerEnd): string {
  if (end.status === "timeout") return `hook ${titleOf(hook)} did not finish in ${end.timeoutSecs} s`;
  const error = end.status === "failure" ? end.error : "";
  const [line = ""] = (end.status === "failure" ? (end.stderr ?? "") : "").trim().split("\n");
  return `hook ${titleOf(hook)} failed: ${error}${line === "" ? "" : `: ${line.slice(0, 200)}`}`;
}
