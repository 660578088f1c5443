import { min, now } from "../../hot/primordials.ts";
import { deadlineForPolicy } from "../processes/deadlines.ts";
import type { PolicyAnswer } from "../run/policy-answer.ts";
import type { ConfinedPolicyHost } from "../run/policy-host.ts";
import { cutOffRun } from "../run/policy-run.ts";
import { evaluatePolicy, type PolicyEvaluation, type PolicyQueue } from "./evaluate-policy.ts";

interface OpenEvaluation<T> {
  evaluation: T;
  begun: number;
  /** Null: it comes later. */
  answer: PolicyAnswer | null;
}

/** Asks each policy in turn. In this process it uses as few watches as can hold every policy to its time. */
export function evaluateInOrder<T extends PolicyEvaluation>({ next, settle, onDone }: PolicyQueue<T>): void {
  /** The policy that was asked and isn't settled yet. */
  let open: OpenEvaluation<T> | null = null;
  const ask = (evaluation: T): OpenEvaluation<T> => {
    const asked: OpenEvaluation<T> = { evaluation, begun: now(), answer: null };
    open = asked;
    asked.answer = evaluatePolicy(evaluation, (late) => {
      settle(evaluation, late, asked.begun);
      proceed();
    });
    return asked;
  };
  const timeFor = ({ call, policy }: T): number =>
    min(policy.timeoutMs, deadlineForPolicy(call.executor, policy) - now());
  const askSeveral = ({ limiter }: ConfinedPolicyHost, first: T): void => {
    let evaluation: T | null = first;
    do {
      const { begun, answer } = ask(evaluation);
      // The policy may have left too little of the watch even for our own code.
      if (answer === null || !limiter.hasRoom()) return;
      // If the watch ends between these lines, the policy is either settled or asked again.
      open = null;
      settle(evaluation, answer, begun);
      evaluation = next();
    } while (evaluation !== null && limiter.admits(timeFor(evaluation)));
  };
  const askUnderWatch = (policyHost: ConfinedPolicyHost, first: T): OpenEvaluation<T> | null => {
    // Each watch settles at least this policy, even if the watch ends before its work begins.
    open = { evaluation: first, begun: now(), answer: null };
    let broken: { error: unknown } | null = null;
    const work = (): void => {
      try {
        askSeveral(policyHost, first);
      } catch (error) {
        broken = { error };
      }
    };
    const isWhole = policyHost.limiter.watch(work, timeFor(first));
    rethrow(broken);
    if (isWhole || open === null) return open;
    return { ...open, answer: open.answer ?? cutOffRun(policyHost, open.evaluation.policy.timeoutMs) };
  };
  const proceed = (): void => {
    for (let evaluation = next(); evaluation !== null; evaluation = next()) {
      const { executor } = evaluation.call;
      // A policy whose time is up is not asked, so it needs no watch.
      const asked =
        executor.where === "here" && timeFor(evaluation) > 0
          ? askUnderWatch(executor.stage, evaluation)
          : ask(evaluation);
      if (asked === null) continue;
      if (asked.answer === null) return;
      settle(asked.evaluation, asked.answer, asked.begun);
    }
    onDone();
  };
  proceed();
}

/** A watch swallows errors, so its work keeps them, and they are thrown here. */
function rethrow(broken: { error: unknown } | null): void {
  if (broken !== null) throw broken.error;
}
