import { newList } from "../../hot/primordials.ts";
import type { PolicyAnswer } from "../run/answer-of-policy.ts";
import type { PolicyQueue, TakeQueue, Turn } from "./ask.ts";
import { askQueue } from "./ask-in-turn.ts";

/** Where an answer goes; and where the policies go that are to be asked before there is one. */
export interface AskedOne {
  takeQueue: TakeQueue;
  onAnswer: (text: string) => void;
}

export interface ManyCalls<Q> {
  /** Waits for the next few questions; null: nobody asks any more. */
  read: () => readonly Q[] | null;
  /** Hands over the policies that the question concerns, or answers at once. */
  open: (question: Q, one: AskedOne) => void;
  /** Whether a watch is open: it would cut off who waits for something. */
  isWatched: () => boolean;
  /** Takes the answers, in the order of the questions. */
  say: (answers: readonly string[]) => void;
}

/**
 * Asks about many calls, one after the other. A watch holds the policies of as many of them to their time as it holds policies of one call:
 * those that begin within 20 ms. It can end anywhere: a question that has no answer by then goes on from where it stood.
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
      // Behind the end of a list lies what a policy may have put there for all lists.
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
