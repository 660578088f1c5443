import type { HookEvent } from "../../policy/define-hook.ts";
import type { ToolPolicyEvent } from "../../policy/event.ts";
import { nativeNames } from "../../policy/native-tools.ts";
import { isString } from "../guards.ts";
import { type ProtocolName, toolsOf } from "./handler.ts";

/** The names by which a handler knows the tool of a call, the usual one first. */
export function namesInCall(speaks: ProtocolName, { runtime, toolName, metadata }: ToolPolicyEvent): readonly string[] {
  const system = toolsOf(speaks);
  if (system === null) return [toolName];
  const reported = metadata?.["tool_name"];
  return nativeNames(system, { runtime, canonical: toolName, reported: isString(reported) ? reported : toolName });
}

/** The same for a moment that is about a tool. */
export function namesAtLifecycleEvent(speaks: ProtocolName, { runtime, subject, input }: HookEvent): readonly string[] {
  const reported: unknown = Reflect.get(input, "toolName");
  const system = toolsOf(speaks);
  if (!isString(reported)) return [];
  return system === null ? [reported] : nativeNames(system, { runtime, canonical: subject ?? reported, reported });
}
