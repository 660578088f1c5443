export type { Allow, Ask, Decision, Deny, LogOnly } from "./define.ts";
export {
  defineHook,
  defineToolPolicy,
  type Hold,
  type HookEvent,
  type HookOutcome,
  type LifecycleHook,
  type PolicyKind,
  type Proceed,
  type ToolPolicy,
} from "./define.ts";
export type { AgentId, HookOptions, Phase, ToolPolicyEvent } from "./event.ts";
export type {
  CanonicalEvent,
  HoldCode,
  HookableEvent,
  HookInput,
  HookInputs,
  LifecycleEvent,
  OtherEvent,
} from "./lifecycle-events.ts";
export { type CommonTool, inputOf, type ToolInputs } from "./tools.ts";
