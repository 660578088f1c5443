import { isRecord } from "../../../hot/shape.ts";
import { MATCHED_FIELDS } from "../../../policy/matched-fields.ts";
import type { HookerCall } from "./call.ts";
import type { LoadedPolicies } from "./load.ts";
import { toRubyText } from "./ruby-text.ts";

/** The field of the tool's input that a policy looks at. */
export function hookerFieldOf({ matchField }: LoadedPolicies, { event }: HookerCall): string {
  return matchField ?? MATCHED_FIELDS.get(event["tool_name"]) ?? "command";
}

/** The text that a pattern is compared with. */
export function matchedText(policy: LoadedPolicies, call: HookerCall): string {
  const { event, eventName } = call;
  if (eventName === "UserPromptSubmit") return toRubyText(event["prompt"]);
  const input = toolInput(call);
  const field = hookerFieldOf(policy, call);
  const value = Object.hasOwn(input, field) ? input[field] : null;
  return value === null ? JSON.stringify(input) : toRubyText(value);
}

export function toolInput({ event }: HookerCall): Record<string, unknown> {
  const input = event["tool_input"];
  return isRecord(input) ? input : {};
}
