import { min, now } from "../../hot/primordials.ts";
import { endFor } from "../processes/ends.ts";
import type { PolicyAnswer } from "../run/answer-of-policy.ts";
import { cutRun } from "../run/policy-run.ts";
import type { ConfinedStage } from "../run/stage.ts";
import { askPolicy, type Pass, type PolicyQueue, type Turn } from "./ask.ts";

interface Asked<T> {
  turn: T;
  begun: number;
  /** Null: it comes later. */
  answer: PolicyAnswer | null;
}

/** Asks the policies that one event concerns, unless who asks about many events takes them over. */
export function askInTurn<T extends Turn>({ place: { takeQueue } }: Pass, queue: PolicyQueue<T>): void {
  if (takeQueue === undefined) askQueue(queue);
  else takeQueue(queue);
}

/** Asks each policy in turn: in this process under as few watches as hold every policy to its time. */
export function askQueue<T extends Turn>({ next, settle, onDone }: PolicyQueue<T>): void {
  /** Asked, and not settled. */
  let open: Asked<T> | null = null;
  const ask = (turn: T): Asked<T> => {
    const asked: Asked<T> = { turn, begun: now(), answer: null };
    open = asked;
    asked.answer = askPolicy(turn, (late) => {
      settle(turn, late, asked.begun);
      proceed();
    });
    return asked;
  };
  const timeFor = ({ pass, policy }: T): number => min(policy.timeoutMs, endFor(pass.by, policy) - now());
  const askSeveral = ({ guard }: ConfinedStage, first: T): void => {
    let turn: T | null = first;
    do {
      const { begun, answer } = ask(turn);
      // What the policy left of the watch may be too little even for us.
      if (answer === null || !guard.hasRoom()) return;
      // Cut off in here, it is either settled or asked again.
      open = null;
      settle(turn, answer, begun);
      turn = next();
    } while (turn !== null && guard.admits(timeFor(turn)));
  };
  const askUnderWatch = (stage: ConfinedStage, first: T): Asked<T> | null => {
    // Each watch settles this one at least, even one that ends before its work begins.
    open = { turn: first, begun: now(), answer: null };
    let broken: { error: unknown } | null = null;
    const work = (): void => {
      try {
        askSeveral(stage, first);
      } catch (error) {
        broken = { error };
      }
    };
    const isWhole = stage.guard.watch(work, timeFor(first));
    rethrow(broken);
    if (isWhole || open === null) return open;
    return { ...open, answer: open.answer ?? cutRun(stage, open.turn.policy.timeoutMs) };
  };
  const proceed = (): void => {
    for (let turn = next(); turn !== null; turn = next()) {
      const { by } = turn.pass;
      // Who comes too late is not asked, and so needs no watch.
      const asked = by.where === "here" && timeFor(turn) > 0 ? askUnderWatch(by.stage, turn) : ask(turn);
      if (asked === null) continue;
      if (asked.answer === null) return;
      settle(asked.turn, asked.answer, asked.begun);
    }
    onDone();
  };
  proceed();
}

/** A watch keeps every error to itself. */
function rethrow(broken: { error: unknown } | null): void {
  if (broken !== null) throw broken.error;
}
