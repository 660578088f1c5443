export type { Allow, Ask, Decision, Deny, LogOnly } from "./decision.ts";
export { defineToolPolicy, type PolicyKind, type ToolPolicy } from "./define.ts";
export {
  defineHook,
  type Hold,
  type HookEvent,
  type HookOutcome,
  type LifecycleHook,
  type Proceed,
} from "./define-hook.ts";
export type { AgentId, HookOptions, Phase, ToolPolicyEvent } from "./event.ts";
export type { HookableEvent, HookInput, HookInputs } from "./hook-inputs.ts";
export type { CanonicalEvent, HoldCode, LifecycleEvent, OtherEvent } from "./taxonomy.ts";
export { type CommonTool, inputOf, type ToolInputs } from "./tools.ts";
