import type { Answer } from "./answer-of-policy.ts";
import { askPolicy, type Pass } from "./ask.ts";
import { type EventText, withInput } from "./event.ts";
import { noteAnswer } from "./journal.ts";
import { now } from "./primordials.ts";

/** Tells every policy about a tool call that has been made. Failures are noted and change nothing. */
export function runAfter(pass: Pass, event: EventText, onDone: () => void): void {
  const text = withInput(event, event.input);
  const proceed = (from: number): void => {
    for (let i = from; i < pass.policies.length; i++) {
      const policy = pass.policies[i];
      if (policy === undefined) break;
      const begun = now();
      const note = (answer: Answer): void =>
        noteAnswer(pass.journal, policy, {
          answer,
          carried: answer.action,
          isApplied: answer.action !== "failure" && policy.mode !== "shadow",
          begun,
        });
      const answer = askPolicy(pass, { policy, event: text }, (late) => {
        note(late);
        proceed(i + 1);
      });
      if (answer === null) return;
      note(answer);
    }
    onDone();
  };
  proceed(0);
}
