import { capOutput } from "../../../hot/capped-output.ts";
import type { HookerCall } from "./call.ts";
import { classifyAll } from "./classify.ts";
import { injectedTexts } from "./inject.ts";
import type { LoadedPolicies } from "./load.ts";
import { type MatchedPolicy, selectHookerPolicies } from "./select.ts";
import { transformInput } from "./transform.ts";

/** What hooker prints for this event; empty if it says nothing. */
export function answerFor(policies: readonly LoadedPolicies[], call: HookerCall): string {
  const matched = classifyAll(selectHookerPolicies(policies, call), call);
  const gate = matched.find(({ action }) => action?.kind === "gate");
  return gate === undefined ? change(matched, call) : print(call, denial(gate));
}

function denial({ name, action }: MatchedPolicy): object {
  const message = action?.kind === "gate" ? action.message : null;
  return { permissionDecision: "deny", permissionDecisionReason: message ?? `Blocked by policy: ${name}` };
}

function change(matched: readonly MatchedPolicy[], call: HookerCall): string {
  const { input, failure } = transformInput(matched, call);
  const texts = injectedTexts(matched, call);
  const { lines } = call.warnings;
  if (lines.length > 0) texts.push(`<hooker-warnings>\n${capOutput(lines.join("\n"))}\n</hooker-warnings>`);
  if (failure !== null && input === null) texts.push(`hooker: ${failure}`);
  if (input === null && texts.length === 0) return "";
  return print(call, {
    ...(input === null ? {} : { updatedInput: input }),
    ...(texts.length === 0 ? {} : { additionalContext: texts.join("\n\n") }),
  });
}

function print({ eventName }: HookerCall, output: object): string {
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: eventName, ...output } })}\n`;
}
