import { type PolicyParts, policy } from "../../src/helpers/index.ts";
import type { ToolPolicyEvent } from "../../src/policy/event.ts";

export function event(toolName: string, input?: unknown): ToolPolicyEvent {
  return { runtime: "claude-code", phase: "pre-tool", toolName, ...(input === undefined ? {} : { input }) };
}

export function bash(command: unknown): ToolPolicyEvent {
  return event("Bash", { command });
}

/** What a policy of these parts decides. */
export async function decide(parts: PolicyParts, call: ToolPolicyEvent): Promise<unknown> {
  return await policy("x", parts).beforeToolCall?.(call);
}
