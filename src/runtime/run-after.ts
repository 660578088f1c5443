import type { Answer } from "./answer-of-policy.ts";
import { askPolicy, type Pass } from "./ask.ts";
import { withInput } from "./event.ts";
import { noteAnswer } from "./journal.ts";
import { now } from "./primordials.ts";

/** Tells every policy about a tool call that has been made. Failures are noted and change nothing. */
export function runAfter(pass: Pass, onDone: () => void): void {
  const proceed = (from: number): void => {
    for (let i = from; i < pass.policies.length; i++) {
      const policy = pass.policies[i];
      const event = pass.events[i];
      if (policy === undefined || event === undefined) break;
      const begun = now();
      const note = (answer: Answer): void =>
        noteAnswer(pass.journal, policy, {
          answer,
          carried: answer.action,
          isApplied: answer.action !== "failure" && policy.mode !== "shadow",
          begun,
        });
      const answer = askPolicy(pass, { policy, event: withInput(event, event.input) }, (late) => {
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
