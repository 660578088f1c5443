import { newList } from "../../hot/primordials.ts";
import { type EventText, withInput } from "../enter/event.ts";
import { noteAnswer } from "../journal/journal.ts";
import type { PolicyAnswer } from "../run/answer-of-policy.ts";
import type { PreparedPolicy } from "../verify/prepare.ts";
import type { MomentPass, Pass } from "./ask.ts";
import { askInTurn, type Turn } from "./ask-in-turn.ts";
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

/** Asks the policies before a tool call, in order, and tells `onVerdict` once. */
export function runBefore(pass: Pass, event: EventText, onVerdict: (verdict: Verdict) => void): void {
  const { adapter, policies, journal, moment } = pass;
  const composition = startComposition(rolesOf(pass), event.input);
  const isWhole = !event.isDivided;
  const next = (): QuestionTurn | null => {
    const question = nextQuestion(composition);
    const policy = question === null ? undefined : policies[question.policy];
    const part = question === null ? undefined : pass.events[question.policy];
    if (question === null || policy === undefined || part === undefined) return null;
    const input = question.version === ORIGINAL ? part.input : question.input;
    return { policy, question, event: withInput(part, input, policy.options) };
  };
  const settle = ({ policy, question }: QuestionTurn, answer: PolicyAnswer, begun: number): void => {
    const carried = moment === null ? carryAnswer(adapter, policy, { answer, isWhole }) : moment.carry(policy, answer);
    if (moment !== null) noteUnheld(moment, policy, { answer, carried });
    const fate = recordAnswer(composition, question, carried);
    noteAnswer(journal, policy, { answer, carried: carried.action, isApplied: fate === "applied", begun });
  };
  const onDone = (): void => {
    if (composition.verdict !== null) onVerdict(composition.verdict);
  };
  askInTurn(pass, { next, settle, onDone });
}

/** A failure that would hold the event, where it cannot be held. */
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

/** A lifecycle hook's kind only says how its failures count. */
function roleAt({ mode }: Pick<PreparedPolicy, "mode">): Role {
  return mode === "shadow" ? "shadow" : mode === "restrict-only" ? "restrict" : "enforce";
}

function roleOf({ kind, mode }: Pick<PreparedPolicy, "kind" | "mode">): Role {
  if (mode === "shadow") return "shadow";
  if (kind === "observer") return "observe";
  return mode === "restrict-only" ? "restrict" : "enforce";
}
