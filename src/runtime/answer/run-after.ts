import { withInput } from "../enter/event.ts";
import { noteAnswer } from "../journal/journal.ts";
import { evaluateInOrder } from "./evaluate-in-order.ts";
import type { CallEvaluation, PolicyEvaluation } from "./evaluate-policy.ts";

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
