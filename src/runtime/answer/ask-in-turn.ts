import { min, now } from "../../hot/primordials.ts";
import { endFor } from "../processes/ends.ts";
import type { PolicyAnswer } from "../run/answer-of-policy.ts";
import { cutRun } from "../run/policy-run.ts";
import type { ConfinedStage } from "../run/stage.ts";
import { askPolicy, type PolicyQueue, type Turn } from "./ask.ts";

interface Asked<T> {
  turn: T;
  begun: number;
  /** Null: it comes later. */
  answer: PolicyAnswer | null;
}

/** Asks each policy in turn. In this process it uses as few watches as can hold every policy to its time. */
export function askInTurn<T extends Turn>({ next, settle, onDone }: PolicyQueue<T>): void {
  /** The policy that was asked and isn't settled yet. */
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
      // The policy may have left too little of the watch even for our own code.
      if (answer === null || !guard.hasRoom()) return;
      // If the watch ends between these lines, the policy is either settled or asked again.
      open = null;
      settle(turn, answer, begun);
      turn = next();
    } while (turn !== null && guard.admits(timeFor(turn)));
  };
  const askUnderWatch = (stage: ConfinedStage, first: T): Asked<T> | null => {
    // Each watch settles at least this policy, even if the watch ends before its work begins.
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
      // A policy whose time is up is not asked, so it needs no watch.
      const asked = by.where === "here" && timeFor(turn) > 0 ? askUnderWatch(by.stage, turn) : ask(turn);
      if (asked === null) continue;
      if (asked.answer === null) return;
      settle(asked.turn, asked.answer, asked.begun);
    }
    onDone();
  };
  proceed();
}

/** A watch swallows errors, so its work keeps them, and they are thrown here. */
function rethrow(broken: { error: unknown } | null): void {
  if (broken !== null) throw broken.error;
}
