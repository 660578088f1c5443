import type { Exception } from "../../contract/ledger.ts";
import { newList } from "../../hot/primordials.ts";
import { type EventText, withInput } from "../enter/event.ts";
import { useException } from "../exceptions/exceptions.ts";
import { noteAnswer } from "../journal/journal.ts";
import { NO_OPINION, type PolicyAnswer } from "../run/answer-of-policy.ts";
import type { PreparedPolicy } from "../verify/prepare.ts";
import type { MomentPass, Pass, Turn } from "./ask.ts";
import { askInTurn } from "./ask-in-turn.ts";
import { carryAnswer } from "./carry.ts";
import {
  type AskedPolicy,
  nextQuestion,
  ORIGINAL,
  type Role,
  recordAnswer,
  startComposition,
  type Verdict,
} from "./compose.ts";

interface QuestionTurn extends Turn {
  question: AskedPolicy;
}

/** Asks the policies before a tool call, in order, and calls `onVerdict` once. */
export function runBefore(pass: Pass, event: EventText, onVerdict: (verdict: Verdict) => void): void {
  const { adapter, policies, journal, moment } = pass;
  const composition = startComposition(rolesOf(pass), event.input);
  const isWhole = !event.isDivided;
  const passed = newList<Passed>(0, NOBODY);
  const next = (): QuestionTurn | null => {
    const question = nextQuestion(composition);
    const policy = question === null ? undefined : policies[question.policy];
    const part = question === null ? undefined : pass.events[question.policy];
    if (question === null || policy === undefined || part === undefined) return null;
    const input = question.version === ORIGINAL ? part.input : question.input;
    return { pass, policy, question, event: withInput(part, input, policy.options) };
  };
  const settle = ({ policy, question }: QuestionTurn, answer: PolicyAnswer, begun: number): void => {
    const said = moment === null ? carryAnswer(adapter, policy, { answer, isWhole }) : moment.carry(policy, answer);
    const isOfCall = question.version === ORIGINAL && policy.mode !== "shadow";
    const exception = isOfCall && isDenial(said, answer) ? policy.exception : null;
    const carried = exception === null ? said : NO_OPINION;
    if (exception !== null) passed[passed.length] = { exception, by: question.policy, reason: said.reason };
    if (moment !== null) noteUnheld(moment, policy, { answer, carried });
    const fate = recordAnswer(composition, question, carried);
    const isApplied = fate === "applied" && exception === null;
    noteAnswer(journal, policy, { answer, carried: carried.action, isApplied, begun, exception });
  };
  const onDone = (): void => {
    if (composition.verdict !== null) onVerdict(usePassed(pass, composition.verdict, passed));
  };
  askInTurn({ next, settle, onDone });
}

/** A denial that does not count, since a person made an exception. */
interface Passed {
  exception: Exception | null;
  by: number;
  reason: string;
}

const NOBODY: Passed = { exception: null, by: -1, reason: "" };

/**
 * Whether the policy itself denies the call: it didn't fail, and the denial doesn't come from an answer that the agent
 * cannot carry.
 */
function isDenial(said: PolicyAnswer, answer: PolicyAnswer): boolean {
  return said.action === "deny" && (answer.action === "deny" || answer.action === "ask");
}

/**
 * Uses up the exceptions only if the call goes through, not if another policy denies it. An exception that another call
 * has used up meanwhile lets nothing through.
 */
function usePassed({ place }: Pass, verdict: Verdict, passed: readonly Passed[]): Verdict {
  if (verdict.action === "deny" || place.isExplained || place.isRehearsed === true) return verdict;
  for (let i = 0; i < passed.length; i++) {
    const { exception, by, reason } = passed[i] ?? NOBODY;
    // A policy that is asked about several parts of a call uses its exception once.
    if (exception === null || (i > 0 && passed[i - 1]?.exception === exception)) continue;
    if (!useException(place, exception)) return { ...verdict, ...DENIED, reason, by };
  }
  return verdict;
}

const DENIED = { action: "deny", context: null, updatedInput: null, syntheticOutput: null, isFailure: false } as const;

/** Notes a failure that would hold the event if it could be held. */
function noteUnheld(
  moment: MomentPass,
  { name, kind, mode }: PreparedPolicy,
  { answer, carried }: { answer: PolicyAnswer; carried: PolicyAnswer },
): void {
  if (answer.action !== "failure" || carried.action === "failure" || kind === "observer" || mode === "shadow") return;
  moment.notice = `${moment.notice === null ? "" : `${moment.notice}; `}${name} ${answer.reason}`;
}

function rolesOf({ policies, moment }: Pass): Role[] {
  const roles = newList<Role>(policies.length, "enforce");
  for (let i = 0; i < policies.length; i++) {
    const policy = policies[i];
    if (policy !== undefined) roles[i] = moment === null ? roleOf(policy) : roleAt(policy);
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
