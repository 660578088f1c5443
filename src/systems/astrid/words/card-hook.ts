import { randomUUID } from "node:crypto";
import { isMapping } from "../../../helpers/guards.ts";
import type { Decision } from "../../../policy/decision.ts";
import type { ToolPolicy } from "../../../policy/define.ts";
import type { LifecycleHook } from "../../../policy/define-hook.ts";
import type { ToolPolicyEvent } from "../../../policy/event.ts";
import { describeAstridFailure, type HandlerEnd } from "./ask.ts";
import type { AstridHook, ToolEvent } from "./astrid-hook.ts";
import { DEFAULTS } from "./hook.ts";
import { astridLifecycleHook } from "./lifecycle-hook.ts";
import { compileAstridMatcher } from "./matcher.ts";
import { reasonOf } from "./result.ts";
import { toolNamesOf } from "./tool-names.ts";
import { toolsGlob } from "./tools-glob.ts";

/** A policy may take 30 seconds, and its handler is stopped before it is. */
const MOST_SECONDS = 29;

/**
 * A hook of Astrid's in a card: its handler gets the event as Astrid hands it out, and what it says means the same. Of a tool's call
 * that it changes, the arguments replace the tool's input, and nothing else has a place to go.
 */
export function astridHook(hook: AstridHook & { event: ToolEvent }): ToolPolicy;
export function astridHook(hook: AstridHook): LifecycleHook | ToolPolicy;
export function astridHook(hook: AstridHook): LifecycleHook | ToolPolicy {
  const timeoutSecs = Math.min(hook.timeoutSecs ?? DEFAULTS.timeoutSecs, MOST_SECONDS);
  const { event } = hook;
  if (event === "pre_tool_call" || event === "post_tool_call" || event === "tool_error") {
    return toolPolicy(hook, timeoutSecs);
  }
  return astridLifecycleHook(hook, timeoutSecs);
}

function toolPolicy(hook: AstridHook, timeoutSecs: number): ToolPolicy {
  const glob = hook.matcher === undefined ? undefined : toolsGlob(hook.matcher);
  const ask = asker(hook, timeoutSecs);
  const shared = { ...(glob === undefined ? {} : { matcher: glob }), timeoutMs: (timeoutSecs + 1) * 1000 };
  if (hook.event === "pre_tool_call") {
    return {
      policyKind: "enforcement",
      ...shared,
      beforeToolCall: async (event) => decide(hook, await ask(event)),
    };
  }
  const isForErrors = hook.event === "tool_error";
  return {
    policyKind: "observer",
    ...shared,
    afterToolCall: async (event) => {
      if ((event.error !== undefined) === isForErrors) complain(hook, await ask(event));
    },
  };
}

/** Asks the handler about a call that its matcher is about; a tool goes by the agent's own name of it, too. */
function asker(hook: AstridHook, timeoutSecs: number): (event: ToolPolicyEvent) => Promise<HandlerEnd | undefined> {
  const matches = compileAstridMatcher(hook.matcher ?? null);
  return async (event) => {
    const data = dataOf(event);
    if (!matches(data) && !matches({ ...data, tool_name: event.toolName })) return undefined;
    const context = {
      invocationId: randomUUID(),
      event: hook.event,
      sessionId: event.sessionId ?? null,
      userId: null,
      timestamp: new Date().toISOString(),
      data,
    };
    return await hook.handler({ context, previous: [], timeoutSecs, root: event.cwd ?? "." });
  };
}

function decide(hook: AstridHook, end: HandlerEnd | undefined): Decision | undefined {
  if (end === undefined) return undefined;
  if (end.status !== "success") {
    if (hook.failAction === "block") throw new Error(describeAstridFailure(hook.name, end));
    return { action: "log-only" };
  }
  const { result } = end;
  if (result.action === "block") return { action: "deny", reason: reasonOf(result) };
  if (result.action === "ask") return { action: "ask", reason: reasonOf(result) };
  const input = result.action === "continue_with" ? result.modifications["arguments"] : undefined;
  return input === undefined ? undefined : { action: "allow", updatedInput: input };
}

/** After the call nothing can be rejected any more; a failure is what the journal notes. */
function complain(hook: AstridHook, end: HandlerEnd | undefined): void {
  if (end === undefined || end.status === "success" || hook.failAction === "ignore") return;
  throw new Error(describeAstridFailure(hook.name, end));
}

/** What Astrid says of a tool's call; a server's tool by its own name there. */
function dataOf({ toolName, input, output, error, phase, metadata }: ToolPolicyEvent): Record<string, unknown> {
  return {
    ...toolNamesOf(toolName, metadata),
    arguments: isMapping(input) ? input : { input: input ?? null },
    ...(phase === "pre-tool" ? {} : { is_error: error !== undefined }),
    ...(output === undefined ? {} : { result: output }),
    ...(error === undefined ? {} : { error: error.message }),
  };
}
