import type { Answer } from "./answer-of-policy.ts";
import { askPolicy, type MomentPass, type Pass } from "./ask.ts";
import { carryAnswer } from "./carry.ts";
import { nextQuestion, type Question, type Role, recordAnswer, startComposition, type Verdict } from "./compose.ts";
import { type EventText, withInput } from "./event.ts";
import { noteAnswer } from "./journal.ts";
import type { PreparedPolicy } from "./prepare.ts";
import { newList, now } from "./primordials.ts";

/** Asks the policies before a tool call, in order, and tells `onVerdict` once. */
export function runBefore(pass: Pass, event: EventText, onVerdict: (verdict: Verdict) => void): void {
  const { adapter, policies, journal, moment } = pass;
  const composition = startComposition(rolesOf(pass), event.input);
  // A call that is shown in parts is not rewritten: the parts would be those of another call.
  const isWhole = event.views.length === 0;
  const settle = (question: Question, answer: Answer, begun: number): void => {
    const policy = policies[question.policy];
    if (policy === undefined) return;
    const carried = moment === null ? carryAnswer(adapter, policy, { answer, isWhole }) : moment.carry(policy, answer);
    if (moment !== null) noteUnheld(moment, policy, { answer, carried });
    const fate = recordAnswer(composition, question, carried);
    noteAnswer(journal, policy, { answer, carried: carried.action, isApplied: fate === "applied", begun });
  };
  const proceed = (): void => {
    for (;;) {
      const question = nextQuestion(composition);
      if (question === null) break;
      const policy = policies[question.policy];
      const part = pass.events[question.policy];
      if (policy === undefined || part === undefined) break;
      const begun = now();
      const answer = askPolicy(
        pass,
        { policy, event: withInput(part, part === event ? question.input : part.input) },
        (late) => {
          settle(question, late, begun);
          proceed();
        },
      );
      if (answer === null) return;
      settle(question, answer, begun);
    }
    if (composition.verdict !== null) onVerdict(composition.verdict);
  };
  proceed();
}

/** A failure that would hold the event, where it cannot be held. */
function noteUnheld(
  moment: MomentPass,
  { name, kind, mode }: PreparedPolicy,
  { answer, carried }: { answer: Answer; carried: Answer },
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

/** Of a lifecycle hook the kind only says how failures count. */
function roleAt({ mode }: Pick<PreparedPolicy, "mode">): Role {
  return mode === "shadow" ? "shadow" : mode === "restrict-only" ? "restrict" : "enforce";
}

function roleOf({ kind, mode }: Pick<PreparedPolicy, "kind" | "mode">): Role {
  if (mode === "shadow") return "shadow";
  if (kind === "observer") return "observe";
  return mode === "restrict-only" ? "restrict" : "enforce";
}
