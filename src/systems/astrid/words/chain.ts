import { describeAstridFailure, type HandlerResult } from "./handler-result.ts";
import type { FailAction } from "./hook.ts";
import { combineResults, type HookResult } from "./result.ts";

/** One hook of a chain. */
export interface Link {
  title: string;
  failAction: FailAction;
  /** Undefined: it is skipped, which changes nothing for the others. */
  ask(previous: readonly HookResult[]): Promise<HandlerResult | undefined>;
}

export interface ChainResult {
  /** What all hooks together say. */
  result: HookResult;
  /** The failure that rejects the event. */
  rejectedBy?: string;
  /** Failures that a person should know about. */
  warnings: readonly string[];
}

/** Asks hooks one after the other. A block ends the chain, and so does a failure of a hook whose failures reject. */
export async function runLinks(links: readonly Link[]): Promise<ChainResult> {
  const warnings: string[] = [];
  const said: HookResult[] = [];
  const succeeded: HookResult[] = [];
  for (const { title, failAction, ask } of links) {
    const end = await ask([...succeeded]);
    if (end === undefined) continue;
    if (end.status === "success") {
      succeeded.push(end.result);
      said.push(end.result);
      if (end.result.action === "block") break;
      continue;
    }
    const failure = describeAstridFailure(title, end);
    if (failAction === "block") {
      return { result: { action: "block", reason: failure }, rejectedBy: failure, warnings };
    }
    if (failAction === "warn") warnings.push(failure);
  }
  return { result: combineResults(said), warnings };
}
