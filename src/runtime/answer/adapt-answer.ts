import type { HookAdapter } from "../../hot/adapter/adapter.ts";
import { NO_OPINION, type PolicyAnswer } from "../run/policy-answer.ts";
import type { PreparedPolicy } from "../verify/prepare.ts";

interface AnswerToAdapt {
  answer: PolicyAnswer;
  /** The call is judged as a whole, not also in parts. */
  isWhole: boolean;
}

/**
 * Turns an answer into one that the agent can carry, before the answers are composed: an ask that the agent cannot make
 * must not drop another policy's rewrite, and a rewrite that the agent cannot make must block.
 */
export function adaptAnswer(
  { can, title }: HookAdapter,
  policy: PreparedPolicy,
  { answer, isWhole }: AnswerToAdapt,
): PolicyAnswer {
  const { kind, mode, askFallback } = policy;
  if (kind === "observer" || mode === "shadow") return answer;
  if (answer.action === "ask" && !can.ask) {
    if (askFallback === "allow") return { ...NO_OPINION, action: "allow" };
    return refusal(`${answer.reason} (a person would have to decide, and ${title} cannot ask one)`);
  }
  // A policy that may only restrict never rewrites, so there is nothing to refuse.
  if (answer.updatedInput !== null && mode !== "restrict-only") {
    if (!can.rewrite) return refusal(`would change the input of the call, and ${title} cannot carry that`);
    if (!isWhole) return refusal("would change the input of a call that is judged in parts, which cannot be done");
  }
  return answer.context !== null && !can.context ? { ...answer, context: null } : answer;
}

function refusal(reason: string): PolicyAnswer {
  return { ...NO_OPINION, action: "deny", reason };
}
