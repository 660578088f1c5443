import { withInput } from "../enter/event.ts";
import { noteAnswer } from "../journal/journal.ts";
import type { Pass, Turn } from "./ask.ts";
import { askInTurn } from "./ask-in-turn.ts";

/** Tells every policy about a tool call that has been made. Failures are noted and change nothing. */
export function runAfter(pass: Pass, onDone: () => void): void {
  let place = 0;
  askInTurn<Turn>({
    next() {
      // Reading past the end of a list would reach properties that a policy may have given to all lists.
      if (place >= pass.policies.length) return null;
      const policy = pass.policies[place];
      const event = pass.events[place];
      if (policy === undefined || event === undefined) return null;
      return { pass, policy, event: withInput(event, event.input, policy.options) };
    },
    settle({ policy }, answer, begun) {
      place++;
      const isApplied = answer.action !== "failure" && policy.mode !== "shadow";
      noteAnswer(pass.journal, policy, { answer, carried: answer.action, isApplied, begun });
    },
    onDone,
  });
}
