import type { Answer } from "./answer-of-policy.ts";
import { askPolicy, type Pass } from "./ask.ts";
import { carryAnswer } from "./carry.ts";
import { nextQuestion, type Question, recordAnswer, startComposition, type Verdict } from "./compose.ts";
import { type EventText, withInput } from "./event.ts";
import { noteAnswer } from "./journal.ts";
import { newList, now } from "./primordials.ts";

/** Asks the policies before a tool call, in order, and tells `onVerdict` once. */
export function runBefore(pass: Pass, event: EventText, onVerdict: (verdict: Verdict) => void): void {
  const { adapter, policies, journal } = pass;
  const composition = startComposition(enforcing(pass), event.input);
  const settle = (question: Question, answer: Answer, begun: number): void => {
    const policy = policies[question.policy];
    if (policy === undefined) return;
    const carried = carryAnswer(adapter, policy, answer);
    const fate = recordAnswer(composition, question, carried);
    noteAnswer(journal, policy, { answer, carried: carried.action, isApplied: fate === "applied", begun });
  };
  const proceed = (): void => {
    for (;;) {
      const question = nextQuestion(composition);
      const policy = question === null ? undefined : policies[question.policy];
      if (question === null || policy === undefined) break;
      const begun = now();
      const answer = askPolicy(pass, { policy, event: withInput(event, question.input) }, (late) => {
        settle(question, late, begun);
        proceed();
      });
      if (answer === null) return;
      settle(question, answer, begun);
    }
    if (composition.verdict !== null) onVerdict(composition.verdict);
  };
  proceed();
}

function enforcing({ policies }: Pass): boolean[] {
  const enforces = newList(policies.length, false);
  for (let i = 0; i < policies.length; i++) enforces[i] = policies[i]?.kind === "enforcement";
  return enforces;
}
