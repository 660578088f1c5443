import { isMapping } from "../../../helpers/guards.ts";
import type { Decision } from "../../../policy/decision.ts";
import type { ToolPolicy } from "../../../policy/define.ts";
import type { LifecycleHook } from "../../../policy/define-hook.ts";
import type { ToolPolicyEvent } from "../../../policy/event.ts";
import type { AstridHook, ToolEvent } from "./astrid-hook.ts";
import { chainDeadline, chainOf, furtherData } from "./card-chain.ts";
import type { ChainResult } from "./chain.ts";
import { astridLifecycleHook } from "./lifecycle-hook.ts";
import { reasonOf } from "./result.ts";
import { toolNamesOf } from "./tool-names.ts";
import { toolsGlob } from "./tools-glob.ts";

type OnTool = AstridHook & { event: ToolEvent };

/**
 * Hooks of Astrid's in a card, for one event and in order. Handlers get the event as Astrid hands it out, one after the
 * other, and what they say together means the same. For a tool call, they can change `arguments`.
 */
export function astridHook(first: OnTool, ...others: readonly OnTool[]): ToolPolicy;
export function astridHook(first: AstridHook, ...others: readonly AstridHook[]): LifecycleHook | ToolPolicy;
export function astridHook(first: AstridHook, ...others: readonly AstridHook[]): LifecycleHook | ToolPolicy {
  const hooks = [first, ...others];
  const { event } = first;
  if (hooks.some((hook) => hook.event !== event)) throw new Error(`all of these hooks must be on ${event}`);
  if (event === "pre_tool_call" || event === "post_tool_call" || event === "tool_error") {
    return toolPolicy(event, hooks);
  }
  return astridLifecycleHook(event, hooks);
}

function toolPolicy(event: ToolEvent, hooks: readonly AstridHook[]): ToolPolicy {
  const glob = toolsGlob(hooks.map(({ matcher }) => matcher));
  const chain = chainOf(hooks);
  const ask = (call: ToolPolicyEvent) => chain({ ...call, data: dataOf(call) });
  const shared = { ...(glob === undefined ? {} : { matcher: glob }), timeoutMs: chainDeadline(hooks) };
  if (event === "pre_tool_call") {
    return { policyKind: "enforcement", ...shared, beforeToolCall: async (call) => decide(await ask(call)) };
  }
  const isForErrors = event === "tool_error";
  return {
    policyKind: "observer",
    ...shared,
    afterToolCall: async (call) => {
      if ((call.error !== undefined) === isForErrors) complain(await ask(call));
    },
  };
}

function decide({ result, rejectedBy, warnings }: ChainResult): Decision | undefined {
  if (rejectedBy !== undefined) throw new Error(rejectedBy);
  if (result.action === "block") return { action: "deny", reason: reasonOf(result) };
  if (result.action === "ask") return { action: "ask", reason: reasonOf(result) };
  const input = result.action === "continue_with" ? result.modifications["arguments"] : undefined;
  if (input !== undefined) return { action: "allow", updatedInput: input };
  return warnings.length === 0 ? undefined : { action: "log-only" };
}

/** After the call nothing can be rejected; the journal notes a failure. */
function complain({ rejectedBy, warnings }: ChainResult): void {
  const failures = rejectedBy === undefined ? warnings : [...warnings, rejectedBy];
  if (failures.length > 0) throw new Error(failures.join("; "));
}

/** What Astrid says about a tool call. A server's tool has its own name there. */
function dataOf(call: ToolPolicyEvent): Record<string, unknown>[] {
  const { runtime, toolName, input, output, error, phase, metadata } = call;
  return toolNamesOf({ runtime, canonical: toolName, metadata }).map((names) => ({
    ...names,
    arguments: isMapping(input) ? input : { input: input ?? null },
    ...furtherData(call),
    ...(phase === "pre-tool" ? {} : { is_error: error !== undefined }),
    ...(output === undefined ? {} : { result: output }),
    ...(error === undefined ? {} : { error: error.message }),
  }));
}
