import type { HookEvent } from "../../policy/define-hook.ts";
import type { ToolPolicyEvent } from "../../policy/event.ts";
import { ownNames } from "../../policy/own-tools.ts";
import { isString } from "../guards.ts";
import { type ProtocolName, toolsOf } from "./handler.ts";

/** The names by which a handler knows the tool of a call, the usual one first. */
export function namesInCall(speaks: ProtocolName, { runtime, toolName, metadata }: ToolPolicyEvent): readonly string[] {
  const system = toolsOf(speaks);
  if (system === null) return [toolName];
  const told = metadata?.["tool_name"];
  return ownNames(system, { runtime, canonical: toolName, told: isString(told) ? told : toolName });
}

/** The same for a moment that is about a tool. */
export function namesAtMoment(speaks: ProtocolName, { runtime, subject, input }: HookEvent): readonly string[] {
  const told: unknown = Reflect.get(input, "toolName");
  const system = toolsOf(speaks);
  if (!isString(told)) return [];
  return system === null ? [told] : ownNames(system, { runtime, canonical: subject ?? told, told });
}
