import type { MomentPowers } from "../agents/adapter.ts";
import { fitOneProcess } from "../contract/processes.ts";
import { type LifecycleEvent, powersOf } from "../policy/taxonomy.ts";
import type { Pass } from "./ask.ts";
import { chooseAsker, endWorkers, isConfined } from "./asker.ts";
import type { Verdict } from "./compose.ts";
import type { EventText } from "./event.ts";
import { describeCall, type HookCall, NOTHING, type Project, SILENCE } from "./hook-call.ts";
import { openJournal } from "./journal.ts";
import { presentBlock, presentNotice, presentVerdict, ruleOf } from "./present.ts";
import { readyPass } from "./ready-pass.ts";
import { runBefore } from "./run-before.ts";
import { mayHoldTurn, noteHold, openTurnCount, type TurnCount } from "./turn-count.ts";

/** A call that is a moment of the session. */
type At<Call> = Call & { at: MomentPowers };

export function isMoment<Call extends HookCall>(call: Call): call is At<Call> {
  return call.at !== null;
}

/** Asks the lifecycle hooks about a moment of the session, and answers the agent. */
export function runMoment(project: At<Project>, event: EventText): void {
  const { adapter, at, phase, door } = project;
  const { journal, prepared, events, planned } = readyPass(project, event);
  if (prepared.length === 0) {
    door.answer(NOTHING, journal, SILENCE);
    return;
  }
  if (isConfined() && !fitOneProcess(planned)) {
    holdMoment(project, "this project's policies need more than one process: run `drwn write`", event);
    return;
  }
  const turn = event.turn === null ? null : openTurnCount(project, event.turn);
  const powers = powersOf(phase as LifecycleEvent);
  // From here on foreign code runs.
  const by = chooseAsker(project, { policies: prepared, events, callback: "run", powers });
  const pass: Pass = { adapter, by, journal, policies: prepared, events, callback: "run", powers, at, notice: null };
  runBefore(pass, event, (composed) => {
    endWorkers(by);
    const verdict = turn === null ? composed : withinTurn(composed, turn);
    const notice = pass.notice === null ? null : presentNotice(pass.notice);
    const consequence = "A hook that fails holds what it was asked about";
    const reply = encode(project, {
      ...presentVerdict(verdict, prepared, { can: adapter.can, consequence }),
      at,
      notice,
    });
    const ruling = ruleOf(verdict, prepared);
    door.answer(reply, journal, { verdict: verdict.action, effective: reply.effective, problem: pass.notice, ruling });
  });
}

/** Holds what the hooks cannot judge, where the agent lets it be held; else a person is told. */
export function holdMoment(call: At<HookCall>, reason: string, event: EventText | null): void {
  const { at, phase, door } = call;
  const isEnd = phase === "turn.stop" || phase === "subagent.stop";
  // A turn that may have been kept going already is not kept going for want of a hook that works.
  const holds = at.holds && !(isEnd && event?.turn?.isContinued !== false);
  const journal = openJournal(call, describeCall(call, event?.toolName ?? null));
  const silence = { action: "allow", reason: "", context: null, updatedInput: null, syntheticOutput: null } as const;
  const reply = encode(call, {
    ...(holds ? presentBlock(reason) : silence),
    at,
    notice: holds ? null : presentNotice(reason),
  });
  door.answer(reply, journal, {
    ...SILENCE,
    verdict: holds ? "deny" : "allow",
    effective: reply.effective,
    problem: reason,
  });
}

function encode({ adapter }: HookCall, saying: Parameters<NonNullable<HookCall["adapter"]["moments"]>["encode"]>[0]) {
  return adapter.moments === undefined ? NOTHING : adapter.moments.encode(saying);
}

/** A turn is kept going so often and no more: then the reason is noted, and the turn ends. */
function withinTurn(verdict: Verdict, turn: TurnCount): Verdict {
  if (verdict.action !== "deny") return verdict;
  if (!mayHoldTurn(turn, verdict)) return { ...verdict, action: "allow", by: -1, context: null, updatedInput: null };
  noteHold(turn);
  return verdict;
}
