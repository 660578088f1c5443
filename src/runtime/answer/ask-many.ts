import { newList } from "../../hot/primordials.ts";
import type { PolicyAnswer } from "../run/answer-of-policy.ts";
import type { PolicyQueue, TakeQueue, Turn } from "./ask.ts";
import { askQueue } from "./ask-in-turn.ts";

/** Takes the policies to ask about one question, and then its answer. */
export interface AskedOne {
  takeQueue: TakeQueue;
  onAnswer: (text: string) => void;
}

export interface ManyCalls<Q> {
  /** Waits for the next few questions; null: there are no more. */
  read: () => readonly Q[] | null;
  /** Hands over the policies that the question concerns, or answers at once. */
  open: (question: Q, one: AskedOne) => void;
  /** Whether a watch is open: it would cut off anything that waits. */
  isWatched: () => boolean;
  /** Takes the answers, in the order of the questions. */
  say: (answers: readonly string[]) => void;
}

/**
 * Asks about many calls, one after the other. As within one call, a watch covers all policies that begin within 20 ms,
 * here of several calls. It can end anywhere: a question that has no answer by then continues from where it was.
 */
export function askMany<Q>({ read, open: openOne, isWatched, say }: ManyCalls<Q>): void {
  let questions: readonly Q[] = [];
  let at = 0;
  let answers = newList(0, "");
  let open: PolicyQueue<Turn> | null = null;
  const one: AskedOne = {
    takeQueue(queue) {
      open = queue;
    },
    onAnswer(text) {
      answers[answers.length] = text;
      open = null;
      at++;
    },
  };
  const next = (): Turn | null => {
    for (;;) {
      if (!isWatched() && answers.length > 0) {
        say(answers);
        answers = newList(0, "");
      }
      const turn = open === null ? null : open.next();
      if (turn !== null) return turn;
      // Reading past the end of a list would reach properties that a policy may have given to all lists.
      const question = at < questions.length ? questions[at] : undefined;
      if (open !== null) open.onDone();
      else if (question !== undefined) openOne(question, one);
      else if (isWatched()) return null;
      else {
        const more = read();
        if (more === null) return null;
        questions = more;
        at = 0;
      }
    }
  };
  const settle = (turn: Turn, answer: PolicyAnswer, begun: number): void => open?.settle(turn, answer, begun);
  askQueue({ next, settle, onDone: () => {} });
}
