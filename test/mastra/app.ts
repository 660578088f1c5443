import { layout } from "../../src/contract/layout.ts";
import { guardProject } from "../../src/mastra/index.ts";
import type { Guards, Refusal, ToolCall } from "../../src/mastra/types.ts";
import { type ArmedHome, armHome, type HomeOptions, type LiteralPolicy } from "../support/armed-home.ts";

/** An app whose agents are guarded by these policies. */
export interface GuardedApp extends ArmedHome {
  guards: Guards;
  /** What a tool call comes to: the refusal, or undefined; a rewrite is in the input. */
  before: (input: unknown, tool?: string) => Promise<Refusal | undefined>;
}

export function guardApp(policies: readonly LiteralPolicy[], options?: HomeOptions): GuardedApp {
  const armed = armHome(policies, options);
  const guards = guardProject({ hook: layout.launcher(armed.home), project: armed.project });
  return { ...armed, guards, before: (input, tool) => guards.hooks.beforeToolCall(callOf(input, tool)) };
}

function callOf(input: unknown, toolName = "run"): ToolCall {
  return { toolName, input, context: { toolCallId: "call-1" }, metadata: { agentId: "a", agentName: "A" } };
}
