import { type Link, runLinks } from "../words/chain.ts";
import type { AstridContext } from "../words/context.ts";
import type { HandlerResult } from "../words/handler-result.ts";
import { type Hook, hookTitle } from "../words/hook.ts";
import type { Matches } from "../words/matcher.ts";
import type { HookResult } from "../words/result.ts";
import { type HandlerRequest, runHandler } from "./run-handler.ts";

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
