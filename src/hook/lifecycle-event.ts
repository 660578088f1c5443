import { fitOneProcess } from "../contract/processes.ts";
import type {
  DecodedLifecycleEvent,
  HookAdapter,
  LifecycleAdapter,
  LifecyclePowers,
} from "../hook-base/adapter/adapter.ts";
import { type LifecycleEvent, powersOf } from "../policy/lifecycle-events.ts";
import { adaptLifecycleAnswer } from "./answer/adapt-answer.ts";
import type { Verdict } from "./answer/compose.ts";
import { type CallEvaluation, chooseExecutor, endWorkers, type LifecycleEvaluation } from "./answer/evaluate.ts";
import { presentBlock, presentNotice, presentVerdict, ruleOf } from "./answer/present.ts";
import { runBefore } from "./answer/run-policies.ts";
import { MOST_HOLDS, mayHoldTurn, noteEnd, noteHold, openTurnCount, type TurnCount } from "./answer/turn-count.ts";
import { type EventText, refuseDepth } from "./enter/event.ts";
import { openJournal } from "./journal/journal.ts";
import {
  ALLOWED_SILENTLY,
  describeHookCall,
  EMPTY_REPLY,
  type HookCall,
  type LifecycleStrategy,
  type Project,
  prepareCall,
} from "./prepare-call.ts";
import { isConfined } from "./run/confine.ts";
import { readOutcome } from "./run/policy-answer.ts";
import type { PreparedPolicy } from "./verify/read-policy.ts";

/** A lifecycle event as this agent reports it. */
interface ReportedEvent {
  lifecycleAdapter: LifecycleAdapter;
  event: LifecycleEvent;
  powers: LifecyclePowers;
}

/** How to handle this event of the agent; undefined: the agent has no such event. */
export function lifecycleStrategyFor(
  { runtime }: HookAdapter,
  lifecycleAdapter: LifecycleAdapter | undefined,
  event: LifecycleEvent,
): LifecycleStrategy | undefined {
  const at = lifecycleAdapter?.powersAt(event);
  if (lifecycleAdapter === undefined || at === undefined) return undefined;
  const reported: ReportedEvent = { lifecycleAdapter, event, powers: at };
  return {
    decode: (wire) =>
      refuseDepth(() => {
        const lifecycle = lifecycleAdapter.decode(wire, event);
        return lifecycle === null ? null : toText({ runtime, event, lifecycleAdapter }, lifecycle);
      }),
    run: (project, text) => runLifecycleEvent(reported, project, text),
    hold: (call, reason, text) => holdLifecycleEvent(reported, call, { reason, event: text }),
  };
}

function runLifecycleEvent(reported: ReportedEvent, project: Project, event: EventText): void {
  const { adapter, channel } = project;
  const isNewTurn = reported.event === reported.lifecycleAdapter.newTurn;
  if (isNewTurn && event.turn !== null) openTurnCount(project, event.turn);
  const { journal, prepared, events, planned } = prepareCall(project, event);
  if (prepared.length === 0) {
    channel.answer(EMPTY_REPLY, journal, { ...ALLOWED_SILENTLY, problem: project.pause });
    return;
  }
  if (isConfined() && !fitOneProcess(planned)) {
    holdLifecycleEvent(reported, project, {
      reason: "this project's policies need more than one process: run `drwn write`",
      event,
    });
    return;
  }
  const turn = isNewTurn || event.turn === null ? null : openTurnCount(project, event.turn);
  const powers = powersOf(reported.event);
  // From here on foreign code runs.
  const executor = chooseExecutor(project, { policies: prepared, events, callback: "run", powers });
  const lifecycle: LifecycleEvaluation = {
    powers,
    read: (returned) => readOutcome(powers, returned),
    adapt: (policy, answer) => adaptLifecycleAnswer(reported.powers, policy, answer),
    notice: null,
  };
  const evaluation: CallEvaluation = {
    adapter,
    context: project,
    executor,
    journal,
    policies: prepared,
    events,
    callback: "run",
    lifecycle,
  };
  runBefore(evaluation, event, (composed) => {
    endWorkers(executor);
    const letGo = turn === null ? null : letGoOf(turn, composed, prepared);
    const verdict = letGo === null ? composed : { ...composed, ...LET_GO };
    const problem = letGo ?? lifecycle.notice;
    const notice = problem === null ? null : presentNotice(problem);
    const consequence = "A hook that fails holds what it was asked about";
    const reply = reported.lifecycleAdapter.encode({
      ...presentVerdict(verdict, prepared, { can: adapter.can, consequence }),
      powers: reported.powers,
      notice,
      isFailure: verdict.isFailure,
    });
    const ruling = ruleOf(verdict, prepared);
    channel.answer(reply, journal, {
      verdict: verdict.action,
      effective: reply.effective,
      problem: problem ?? project.pause,
      ruling,
    });
  });
}

function holdLifecycleEvent(
  { lifecycleAdapter, powers, event: name }: ReportedEvent,
  call: HookCall,
  { reason, event }: { reason: string; event: EventText | null },
): void {
  const { channel } = call;
  const isEnd = name === "turn.stop" || name === "subagent.stop";
  // A failing hook must not keep a turn going again, so it holds only a turn that surely wasn't kept going before.
  const holds = powers.holds && !(isEnd && event?.turn?.isContinued !== false);
  const journal = openJournal(call, describeHookCall(call, event));
  const silence = { action: "allow", reason: "", context: null, updatedInput: null, syntheticOutput: null } as const;
  const reply = lifecycleAdapter.encode({
    ...(holds ? presentBlock(reason, { home: call.home }) : silence),
    powers,
    notice: holds ? null : presentNotice(reason),
    isFailure: true,
  });
  channel.answer(reply, journal, {
    ...ALLOWED_SILENTLY,
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

interface EventOrigin {
  runtime: HookAdapter["runtime"];
  event: LifecycleEvent;
  lifecycleAdapter: LifecycleAdapter;
}

function toText({ runtime, event, lifecycleAdapter }: EventOrigin, lifecycle: DecodedLifecycleEvent): EventText {
  const { subject, aliases, input, isContinued, rest } = lifecycle;
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
    isOnlyDeniable: false,
    cwd: "",
    turn: isEnd
      ? { isContinued, session }
      : event === lifecycleAdapter.newTurn
        ? { isContinued: false, session }
        : null,
  };
}
