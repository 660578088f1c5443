export type { Allow, Ask, Decision, Deny, LogOnly } from "./decision.ts";
export { defineToolPolicy, type PolicyKind, type ToolPolicy } from "./define.ts";
export type { Phase, Runtime, ToolPolicyEvent } from "./event.ts";
export { type CommonTool, inputOf, type ToolInputs } from "./tools.ts";
