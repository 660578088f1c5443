import { fitOneProcess } from "../contract/processes.ts";
import type { DecodedMoment, HookAdapter, MomentPowers, Moments } from "../hot/adapter/adapter.ts";
import { type LifecycleEvent, powersOf } from "../policy/taxonomy.ts";
import type { MomentPass, Pass } from "./answer/ask.ts";
import { chooseAsker, endWorkers } from "./answer/asker.ts";
import { carryMoment } from "./answer/carry-moment.ts";
import type { Verdict } from "./answer/compose.ts";
import { presentBlock, presentNotice, presentVerdict, ruleOf } from "./answer/present.ts";
import { runBefore } from "./answer/run-before.ts";
import { MOST_HOLDS, mayHoldTurn, noteEnd, noteHold, openTurnCount, type TurnCount } from "./answer/turn-count.ts";
import { type EventText, refuseDepth } from "./enter/event.ts";
import { describeHookCall, type HookCall, type MomentCall, NOTHING, type Project, SILENCE } from "./hook-call.ts";
import { openJournal } from "./journal/journal.ts";
import { readyPass } from "./ready-pass.ts";
import { isConfined } from "./run/confined.ts";
import { readOutcome } from "./run/outcome-of-hook.ts";
import type { PreparedPolicy } from "./verify/prepare.ts";

/** A moment as this agent reports it. */
interface Told {
  moments: Moments;
  event: LifecycleEvent;
  at: MomentPowers;
}

/** How to handle this event of the agent; undefined: the agent has no such event. */
export function parseMoment(
  { runtime }: HookAdapter,
  moments: Moments | undefined,
  event: LifecycleEvent,
): MomentCall | undefined {
  const at = moments?.powersAt(event);
  if (moments === undefined || at === undefined) return undefined;
  const told: Told = { moments, event, at };
  return {
    decode: (wire) =>
      refuseDepth(() => {
        const moment = moments.decode(wire, event);
        return moment === null ? null : toText({ runtime, event, moments }, moment);
      }),
    run: (project, text) => runMoment(told, project, text),
    hold: (call, reason, text) => holdMoment(told, call, { reason, event: text }),
  };
}

function runMoment(told: Told, project: Project, event: EventText): void {
  const { adapter, door } = project;
  const isNewTurn = told.event === told.moments.newTurn;
  if (isNewTurn && event.turn !== null) openTurnCount(project, event.turn);
  const { journal, prepared, events, planned } = readyPass(project, event);
  if (prepared.length === 0) {
    door.answer(NOTHING, journal, { ...SILENCE, problem: project.pause });
    return;
  }
  if (isConfined() && !fitOneProcess(planned)) {
    holdMoment(told, project, {
      reason: "this project's policies need more than one process: run `drwn write`",
      event,
    });
    return;
  }
  const turn = isNewTurn || event.turn === null ? null : openTurnCount(project, event.turn);
  const powers = powersOf(told.event);
  // From here on foreign code runs.
  const by = chooseAsker(project, { policies: prepared, events, callback: "run", powers });
  const moment: MomentPass = {
    powers,
    read: (returned) => readOutcome(powers, returned),
    carry: (policy, answer) => carryMoment(told.at, policy, answer),
    notice: null,
  };
  const pass: Pass = { adapter, place: project, by, journal, policies: prepared, events, callback: "run", moment };
  runBefore(pass, event, (composed) => {
    endWorkers(by);
    const letGo = turn === null ? null : letGoOf(turn, composed, prepared);
    const verdict = letGo === null ? composed : { ...composed, ...LET_GO };
    const problem = letGo ?? moment.notice;
    const notice = problem === null ? null : presentNotice(problem);
    const consequence = "A hook that fails holds what it was asked about";
    const reply = told.moments.encode({
      ...presentVerdict(verdict, prepared, { can: adapter.can, consequence }),
      at: told.at,
      notice,
      isFailure: verdict.isFailure,
    });
    const ruling = ruleOf(verdict, prepared);
    door.answer(reply, journal, {
      verdict: verdict.action,
      effective: reply.effective,
      problem: problem ?? project.pause,
      ruling,
    });
  });
}

function holdMoment(
  { moments, at, event: name }: Told,
  call: HookCall,
  { reason, event }: { reason: string; event: EventText | null },
): void {
  const { door } = call;
  const isEnd = name === "turn.stop" || name === "subagent.stop";
  // A failing hook must not keep a turn going again, so it holds only a turn that surely wasn't kept going before.
  const holds = at.holds && !(isEnd && event?.turn?.isContinued !== false);
  const journal = openJournal(call, describeHookCall(call, event));
  const silence = { action: "allow", reason: "", context: null, updatedInput: null, syntheticOutput: null } as const;
  const reply = moments.encode({
    ...(holds ? presentBlock(reason, { home: call.home }) : silence),
    at,
    notice: holds ? null : presentNotice(reason),
    isFailure: true,
  });
  door.answer(reply, journal, {
    ...SILENCE,
    verdict: holds ? "deny" : "allow",
    effective: reply.effective,
    problem: reason,
  });
}

const LET_GO = { action: "allow", by: -1, isFailure: false, context: null, updatedInput: null } as const;

/** Why a turn ends although a hook would keep it going, which hooks may do only so often. Null: the verdict holds. */
function letGoOf(turn: TurnCount, verdict: Verdict, policies: readonly PreparedPolicy[]): string | null {
  const isHeld = verdict.action === "deny";
  if (isHeld && mayHoldTurn(turn, verdict)) {
    noteHold(turn);
    return null;
  }
  noteEnd(turn);
  if (!isHeld) return null;
  const name = policies[verdict.by]?.name ?? "a hook";
  if (verdict.isFailure) return `${name} ${verdict.reason}; it has kept this turn going before, so the turn ends`;
  return `${name} would keep this turn going, but hooks may do that only ${MOST_HOLDS} times in a row, so the turn ends`;
}

interface Teller {
  runtime: HookAdapter["runtime"];
  event: LifecycleEvent;
  moments: Moments;
}

function toText({ runtime, event, moments }: Teller, moment: DecodedMoment): EventText {
  const { subject, aliases, input, isContinued, rest } = moment;
  const about = { runtime, event, ...(subject === "" ? {} : { subject }) };
  const more = JSON.stringify(rest).slice(1);
  const isEnd = event === "turn.stop" || event === "subagent.stop";
  const session = `${String(rest["sessionId"] ?? "")} ${String(input["agentId"] ?? "")}`;
  return {
    toolName: subject,
    aliases,
    input: JSON.stringify(input),
    callId: "",
    session: String(rest["sessionId"] ?? ""),
    before: `${JSON.stringify(about).slice(0, -1)},"input":`,
    after: more === "}" ? more : `,${more}`,
    names: [],
    views: [],
    isDivided: false,
    cwd: "",
    turn: isEnd ? { isContinued, session } : event === moments.newTurn ? { isContinued: false, session } : null,
  };
}
