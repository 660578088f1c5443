import type { Exception } from "../../contract/ledger.ts";
import { newList } from "../../hook-base/primordials.ts";
import { type EventText, withInput } from "../enter/event.ts";
import { useException } from "../exceptions/exceptions.ts";
import { noteAnswer } from "../journal/journal.ts";
import { NO_OPINION, type PolicyAnswer } from "../run/policy-answer.ts";
import type { PreparedPolicy } from "../verify/read-policy.ts";
import { adaptAnswer } from "./adapt-answer.ts";
import {
  nextQuestion,
  ORIGINAL,
  type PolicyQuestion,
  type Role,
  recordAnswer,
  startComposition,
  type Verdict,
} from "./compose.ts";
import { type CallEvaluation, evaluateInOrder, type LifecycleEvaluation, type PolicyEvaluation } from "./evaluate.ts";

interface QuestionEvaluation extends PolicyEvaluation {
  question: PolicyQuestion;
}

/** Asks the policies before a tool call, in order, and calls `onVerdict` once. */
export function runBefore(call: CallEvaluation, event: EventText, onVerdict: (verdict: Verdict) => void): void {
  const { adapter, policies, journal, lifecycle } = call;
  const composition = startComposition(rolesOf(call), event.input);
  const isWhole = !event.isDivided;
  const passed = newList<SkippedDenial>(0, NOBODY);
  const next = (): QuestionEvaluation | null => {
    const question = nextQuestion(composition);
    const policy = question === null ? undefined : policies[question.policy];
    const part = question === null ? undefined : call.events[question.policy];
    if (question === null || policy === undefined || part === undefined) return null;
    const input = question.version === ORIGINAL ? part.input : question.input;
    return { call, policy, question, event: withInput(part, input, policy.options) };
  };
  const settle = ({ policy, question }: QuestionEvaluation, answer: PolicyAnswer, begun: number): void => {
    const adapted =
      lifecycle === null ? adaptAnswer(adapter, policy, { answer, isWhole }) : lifecycle.adapt(policy, answer);
    const isOfCall = question.version === ORIGINAL && policy.mode !== "shadow";
    const exception = isOfCall && isDenial(adapted, answer) ? policy.exception : null;
    const carried = exception === null ? adapted : NO_OPINION;
    if (exception !== null)
      passed[passed.length] = { exception, scopeKey: policy.scopeKey, by: question.policy, reason: adapted.reason };
    if (lifecycle !== null) noteUnheld(lifecycle, policy, { answer, carried });
    const effect = recordAnswer(composition, question, carried);
    const isApplied = effect === "applied" && exception === null;
    noteAnswer(journal, policy, { answer, carried: carried.action, isApplied, begun, exception });
  };
  const onDone = (): void => {
    if (composition.verdict !== null) onVerdict(usePassed(call, composition.verdict, passed));
  };
  evaluateInOrder({ next, settle, onDone });
}

/** A denial that does not count, since a person made an exception. */
interface SkippedDenial {
  exception: Exception | null;
  scopeKey: string;
  by: number;
  reason: string;
}

const NOBODY: SkippedDenial = { exception: null, scopeKey: "", by: -1, reason: "" };

/**
 * Whether the policy itself denies the call: it didn't fail, and the denial doesn't come from an answer that the agent
 * cannot carry.
 */
function isDenial(adapted: PolicyAnswer, answer: PolicyAnswer): boolean {
  return adapted.action === "deny" && (answer.action === "deny" || answer.action === "ask");
}

/**
 * Uses up the exceptions only if the call goes through, not if another policy denies it. An exception that another call
 * has used up meanwhile lets nothing through.
 */
function usePassed({ context }: CallEvaluation, verdict: Verdict, passed: readonly SkippedDenial[]): Verdict {
  if (verdict.action === "deny" || context.isExplained || context.isPreflight === true) return verdict;
  for (let i = 0; i < passed.length; i++) {
    const { exception, scopeKey, by, reason } = passed[i] ?? NOBODY;
    // A policy that is asked about several parts of a call uses its exception once.
    if (exception === null || (i > 0 && passed[i - 1]?.exception === exception)) continue;
    if (!useException({ home: context.home, key: scopeKey }, exception)) return { ...verdict, ...DENIED, reason, by };
  }
  return verdict;
}

const DENIED = { action: "deny", context: null, updatedInput: null, syntheticOutput: null, isFailure: false } as const;

/** Notes a failure that would hold the event if it could be held. */
function noteUnheld(
  lifecycle: LifecycleEvaluation,
  { name, kind, mode }: PreparedPolicy,
  { answer, carried }: { answer: PolicyAnswer; carried: PolicyAnswer },
): void {
  if (answer.action !== "failure" || carried.action === "failure" || kind === "observer" || mode === "shadow") return;
  lifecycle.notice = `${lifecycle.notice === null ? "" : `${lifecycle.notice}; `}${name} ${answer.reason}`;
}

function rolesOf({ policies, lifecycle }: CallEvaluation): Role[] {
  const roles = newList<Role>(policies.length, "enforce");
  for (let i = 0; i < policies.length; i++) {
    const policy = policies[i];
    if (policy !== undefined) roles[i] = lifecycle === null ? roleOf(policy) : roleAt(policy);
  }
  return roles;
}

/** A lifecycle hook's kind only says how its failures count, so it doesn't affect the role. */
function roleAt({ mode }: Pick<PreparedPolicy, "mode">): Role {
  return mode === "shadow" ? "shadow" : mode === "restrict-only" ? "restrict" : "enforce";
}

function roleOf({ kind, mode }: Pick<PreparedPolicy, "kind" | "mode">): Role {
  if (mode === "shadow") return "shadow";
  if (kind === "observer") return "observe";
  return mode === "restrict-only" ? "restrict" : "enforce";
}

/** Tells every policy about a tool call that has been made. Failures are noted and change nothing. */
export function runAfter(call: CallEvaluation, onDone: () => void): void {
  let index = 0;
  evaluateInOrder<PolicyEvaluation>({
    next() {
      // Reading past the end of a list would reach properties that a policy may have given to all lists.
      if (index >= call.policies.length) return null;
      const policy = call.policies[index];
      const event = call.events[index];
      if (policy === undefined || event === undefined) return null;
      return { call, policy, event: withInput(event, event.input, policy.options) };
    },
    settle({ policy }, answer, begun) {
      index++;
      const isApplied = answer.action !== "failure" && policy.mode !== "shadow";
      noteAnswer(call.journal, policy, { answer, carried: answer.action, isApplied, begun });
    },
    onDone,
  });
}
