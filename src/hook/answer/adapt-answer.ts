import type { HookAdapter, LifecyclePowers } from "../../hook-base/adapter/adapter.ts";
import { NO_OPINION, type PolicyAnswer } from "../run/policy-answer.ts";
import type { PreparedPolicy } from "../verify/read-policy.ts";

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
  { can, title, deniesAsks = false }: HookAdapter,
  policy: PreparedPolicy,
  { answer, isWhole }: AnswerToAdapt,
): PolicyAnswer {
  const { kind, mode, askFallback } = policy;
  if (kind === "observer" || mode === "shadow") return answer;
  if (answer.action === "ask" && !can.ask) {
    const isLetThrough = askFallback === "allow" || (askFallback === "allow-reversible" && !answer.irreversible);
    if (isLetThrough && !deniesAsks) return { ...NO_OPINION, action: "allow" };
    return refusal(
      `${answer.reason} (a person would have to decide, and ${title} cannot ask one${deniesAsks ? " here" : ""})`,
    );
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

/**
 * Turns a lifecycle hook's answer into one that the agent can carry at this event. A failing observer has no opinion;
 * an answer that would hold an event which cannot be held here is only noted.
 */
export function adaptLifecycleAnswer(
  at: LifecyclePowers,
  { kind, mode, askFallback, label }: PreparedPolicy,
  answer: PolicyAnswer,
): PolicyAnswer {
  if (mode === "shadow") return answer;
  if (answer.action === "failure" && kind === "observer") return NO_OPINION;
  if (answer.action === "ask" && !at.asks) {
    if (askFallback !== "deny") return { ...NO_OPINION, action: "allow" };
    return hold(at, { ...NO_OPINION, action: "deny", reason: `${answer.reason} (a person would have to decide)` });
  }
  if (answer.action === "deny" || answer.action === "failure" || answer.action === "ask") return hold(at, answer);
  if (answer.updatedInput !== null && !at.transforms && mode !== "restrict-only") {
    return hold(at, {
      ...NO_OPINION,
      action: "deny",
      reason: "would change something that the agent does not let hooks change",
    });
  }
  if (answer.context === null || at.injects) return answer;
  // A person sees which hook says it, so that no hook speaks for drwn or the agent.
  return { ...answer, context: at.shows ? `[${label}] ${answer.context}` : null };
}

function hold({ holds }: LifecyclePowers, answer: PolicyAnswer): PolicyAnswer {
  return holds ? answer : { ...NO_OPINION, action: "log-only" };
}
