import type { Answer } from "./answer-of-policy.ts";
import { askPolicy, type Pass } from "./ask.ts";
import { cutRun } from "./policy-run.ts";
import type { PreparedPolicy } from "./prepare.ts";
import { min, now } from "./primordials.ts";
import type { ConfinedStage } from "./stage.ts";

/** One policy and what it is asked about. */
export interface Turn {
  policy: PreparedPolicy;
  /** JSON text of the event. */
  event: string;
}

/** The policies that one event concerns, one after the other. */
export interface Line<T extends Turn> {
  /** The same until its answer is settled. Null: nobody is left to ask. */
  next: () => T | null;
  /** `begun` is in milliseconds since the process started. */
  settle: (turn: T, answer: Answer, begun: number) => void;
  onDone: () => void;
}

interface Asked<T> {
  turn: T;
  begun: number;
  /** Null: it comes later. */
  answer: Answer | null;
}

/** Asks each policy in turn: in this process under as few watches as hold every policy to its time. */
export function askInTurn<T extends Turn>(pass: Pass, { next, settle, onDone }: Line<T>): void {
  const { by } = pass;
  /** Asked, and not settled. */
  let open: Asked<T> | null = null;
  const ask = (turn: T): Asked<T> => {
    const asked: Asked<T> = { turn, begun: now(), answer: null };
    open = asked;
    asked.answer = askPolicy(pass, turn, (late) => {
      settle(turn, late, asked.begun);
      proceed();
    });
    return asked;
  };
  const timeFor = ({ policy }: T): number => min(policy.timeoutMs, by.until - now());
  const askSeveral = ({ guard }: ConfinedStage, first: T): void => {
    let turn: T | null = first;
    do {
      const { begun, answer } = ask(turn);
      // What the policy left of the watch may be too little even for us.
      if (answer === null || !guard.hasRoom()) return;
      settle(turn, answer, begun);
      open = null;
      turn = next();
    } while (turn !== null && guard.admits(timeFor(turn)));
  };
  const askUnderWatch = (stage: ConfinedStage, first: T): Asked<T> | null => {
    open = null;
    if (stage.guard.watch(() => askSeveral(stage, first), timeFor(first))) return open;
    const cut = open as Asked<T> | null;
    if (cut === null) throw new Error("it was cut off between two policies");
    return { ...cut, answer: cutRun(stage, cut.turn.policy.timeoutMs) };
  };
  const proceed = (): void => {
    for (let turn = next(); turn !== null; turn = next()) {
      const asked = by.where === "here" ? askUnderWatch(by.stage, turn) : ask(turn);
      if (asked === null) continue;
      if (asked.answer === null) return;
      settle(asked.turn, asked.answer, asked.begun);
    }
    onDone();
  };
  proceed();
}
