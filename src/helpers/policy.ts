import type { Decision, LifecycleHook, ToolPolicy } from "../policy/define.ts";
import { classify } from "./classify.ts";
import { type Evaluation, startEvaluation } from "./evaluation.ts";
import { contextFor } from "./inject.ts";
import { prepareOn } from "./on.ts";
import type { PolicyParts, PromptParts } from "./parts.ts";
import { gateReason, LONGEST_MS } from "./parts-limits.ts";
import { promptPolicy } from "./prompt-policy.ts";
import { requireCapabilities } from "./require-capabilities.ts";
import { matcherFor } from "./tool-matcher.ts";
import { rewrite } from "./transform.ts";

/**
 * A policy in hooker's words: when it applies, and whether it then blocks the call or the prompt, rewrites the call or
 * adds text. With `on: { event: "UserPromptSubmit" }` it is a lifecycle hook. It throws for parts that cannot work, so
 * that the card cannot be packed.
 */
export function policy(name: string, parts: PromptParts): LifecycleHook<"prompt.submit">;
export function policy(name: string, parts: PolicyParts): ToolPolicy;
export function policy(name: string, parts: PolicyParts | PromptParts): ToolPolicy | LifecycleHook<"prompt.submit"> {
  try {
    return isOnPrompt(parts) ? promptPolicy(name, parts) : build(name, parts);
  } catch (error) {
    throw new Error(`policy ${JSON.stringify(name)}: ${error instanceof Error ? error.message : ""}`);
  }
}

function isOnPrompt(parts: PolicyParts | PromptParts): parts is PromptParts {
  return parts.on?.event === "UserPromptSubmit";
}

function build(name: string, parts: PolicyParts): ToolPolicy {
  const { on = {}, whenPrompt, policyKind = "enforcement" } = parts;
  const act = actionOf(name, parts);
  const { applies, field } = prepareOn(on);
  const isSlow = requireCapabilities(parts);
  const timeoutMs = parts.timeoutMs ?? (isSlow ? LONGEST_MS : undefined);
  const matcher = matcherFor(on.tool);
  return {
    policyKind,
    ...(matcher === undefined ? {} : { matcher }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    beforeToolCall(event) {
      if (!applies(event)) return undefined;
      const evaluation = startEvaluation(event, field(event), timeoutMs ?? LONGEST_MS);
      return whenPrompt === undefined
        ? act(evaluation)
        : classify(whenPrompt, evaluation).then((fires) => (fires ? act(evaluation) : undefined));
    },
  };
}

type Action = (evaluation: Evaluation) => Decision | undefined | Promise<Decision | undefined>;

function actionOf(name: string, { gate, transform, inject }: PolicyParts): Action {
  if ([gate, transform, inject].filter((part) => part !== undefined).length !== 1) {
    throw new Error("it needs one of `gate`, `transform` and `inject`, and no more");
  }
  if (transform !== undefined) return (evaluation) => rewrite(transform, evaluation);
  if (inject !== undefined) {
    return (evaluation) => {
      const additionalContext = contextFor(inject, evaluation);
      return additionalContext === undefined ? undefined : { action: "allow", additionalContext };
    };
  }
  return () => ({ action: "deny", reason: gateReason(name, gate) });
}
