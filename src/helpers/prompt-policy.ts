import type { HookEvent, HookOutcome, LifecycleHook } from "../policy/define.ts";
import { classify } from "./classify.ts";
import { type Evaluation, startEvaluationOf } from "./evaluation.ts";
import { contextFor } from "./inject.ts";
import { type PromptEvent, preparePromptMatch } from "./on.ts";
import type { PromptParts } from "./parts.ts";
import { gateReason, LONGEST_MS } from "./parts-limits.ts";
import { requireCapabilities } from "./require-capabilities.ts";

type Outcome = HookOutcome<"prompt.submit"> | undefined;

/** A policy in hooker's words for the user's prompts: it rejects a prompt, or adds text to it. */
export function promptPolicy(name: string, parts: PromptParts): LifecycleHook<"prompt.submit"> {
  const { on, whenPrompt, policyKind = "enforcement" } = parts;
  const act = actionOf(name, parts);
  const applies = preparePromptMatch(on);
  const isSlow = requireCapabilities(parts);
  const timeoutMs = parts.timeoutMs ?? (isSlow ? LONGEST_MS : undefined);
  return {
    event: "prompt.submit",
    onFailure: policyKind === "enforcement" ? "block" : "proceed",
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    run(event: HookEvent<"prompt.submit">): Outcome | Promise<Outcome> {
      const { prompt } = event.input;
      if (!applies(prompt)) return undefined;
      const evaluation = startEvaluationOf(event, {
        field: "prompt",
        input: prompt,
        timeoutMs: timeoutMs ?? LONGEST_MS,
      });
      return whenPrompt === undefined
        ? act(evaluation)
        : classify(whenPrompt, evaluation).then((fires) => (fires ? act(evaluation) : undefined));
    },
  };
}

function actionOf(name: string, parts: PromptParts): (evaluation: Evaluation<PromptEvent>) => Outcome {
  const { gate, inject } = parts;
  if ("transform" in parts)
    throw new Error("no agent takes another prompt in the place of the user's: `transform` is for tool calls");
  if ((gate === undefined) === (inject === undefined))
    throw new Error("it needs one of `gate` and `inject`, and no more");
  if (inject === undefined) return () => ({ action: "reject", reason: gateReason(name, gate) });
  return (evaluation) => {
    const additionalContext = contextFor(inject, evaluation);
    return additionalContext === undefined ? undefined : { action: "proceed", additionalContext };
  };
}
