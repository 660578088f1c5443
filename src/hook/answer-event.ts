import type { Ledger } from "../contract/ledger.ts";
import { CANARY_TOOL, type PlannedPolicy } from "../contract/plan.ts";
import { fitOneProcess } from "../contract/processes.ts";
import { SUPERSEDED } from "../contract/protocol.ts";
import type { HookAdapter } from "../hook-base/adapter/adapter.ts";
import { exitNow } from "../hook-base/primordials.ts";
import { BrokenEvent } from "../hook-base/read-input.ts";
import { type CallEvaluation, chooseExecutor, endWorkers } from "./answer/evaluate.ts";
import { isExceptable, presentBlock, presentVerdict, ruleOf } from "./answer/present.ts";
import { runAfter, runBefore } from "./answer/run-policies.ts";
import { decodeCall, type EventText } from "./enter/event.ts";
import { digestOfCall } from "./exceptions/exceptions.ts";
import { openJournal } from "./journal/journal.ts";
import {
  ALLOWED_SILENTLY,
  describeHookCall,
  EMPTY_REPLY,
  type HookCall,
  type Project,
  prepareCall,
} from "./prepare-call.ts";
import { isConfined } from "./run/confine.ts";
import { describePause, judgeScopes, type Scope } from "./verify/load-state.ts";
import { loadLedger } from "./verify/read-ledger.ts";
import { findDamage } from "./verify/read-policy.ts";
import type { LoadedPolicy, ShardFilter } from "./verify/shards.ts";

/** Answers one event of an agent, possibly later. */
export function answerEvent(call: HookCall): void {
  const scopes = readScopes(call);
  const event = readEvent(call);
  if (event === null) {
    call.channel.letThrough();
    return;
  }
  const state = judgeScopes(call.home, scopes, { now: Date.now(), wanted: shardFilterFor(call, event) });
  if (state.kind === "silent") {
    call.channel.letThrough();
    return;
  }
  if (state.kind === "damaged") {
    block(call, state.reason, event instanceof BrokenEvent ? null : event);
    return;
  }
  if (state.kind === "paused") {
    answerPaused(call, describePause(state), event);
    return;
  }
  const { plan, pause } = state;
  judgeEvent({ ...call, plan, pause, policies: policiesFor(call, state.policies) }, event);
}

/** Answers one event by the policies in force. */
export function judgeEvent(project: Project, event: EventText | BrokenEvent): void {
  if (event instanceof BrokenEvent) {
    answerBroken(project, event);
    return;
  }
  if (project.lifecycle !== null) {
    project.lifecycle.run(project, event);
    return;
  }
  if (event.toolName === CANARY_TOOL) {
    answerCanary(project, event);
    return;
  }
  runPolicies(project, event);
}

/** The scopes whose consents hold here, the outermost first. Later ones cannot loosen earlier ones. */
function readScopes(call: HookCall): Scope[] {
  return [...call.outerScopes.toReversed(), call].map(({ key, confinedFor, root }) => {
    const ledger = loadLedger({ home: call.home, key });
    // The next process gets the event.
    if (isSuperseded(confinedFor, ledger)) {
      exitNow(SUPERSEDED);
    }
    return { key, ledger, root };
  });
}

/** Whether a new plan came into force after the launcher looked: its policies may need more than one process. */
function isSuperseded(confinedFor: string, ledger: Ledger | string): boolean {
  if (typeof ledger === "string" || ledger.plan === null || confinedFor === "") return false;
  return ledger.plan !== confinedFor && isConfined();
}

/** The policies that run in the agent that asks. */
function policiesFor({ adapter }: HookCall, policies: readonly LoadedPolicy[]): LoadedPolicy[] {
  return policies.filter(({ runtimes = null }) => runtimes === null || runtimes.includes(adapter.runtime));
}

/** Null: the hook isn't asked about this event. */
export function readEvent({ adapter, phase, lifecycle, channel, userHome }: HookCall): EventText | BrokenEvent | null {
  try {
    const wire = channel.wire();
    return lifecycle === null
      ? decodeCall(adapter, phase === "post-tool" ? phase : "pre-tool", wire, userHome)
      : lifecycle.decode(wire);
  } catch (error) {
    if (error instanceof BrokenEvent) return error;
    throw error;
  }
}

/**
 * Undefined, that is every policy, for an event that cannot be read, and for the canary, which asks whether all of them
 * are there.
 */
function shardFilterFor({ phase }: HookCall, event: EventText | BrokenEvent): ShardFilter | undefined {
  if (event instanceof BrokenEvent || event.toolName === CANARY_TOOL) return undefined;
  // A lifecycle event without a subject does not say which of a large plan's policies it concerns.
  if (phase !== "pre-tool" && phase !== "post-tool" && event.toolName === "") return undefined;
  const parts = [event, ...event.names, ...event.views];
  return { names: parts.flatMap(({ toolName, aliases }) => [toolName, ...aliases]), phase };
}

function answerBroken(project: Project, { message }: BrokenEvent): void {
  const reason = `the event that the agent sent ${message}`;
  if (project.policies.some((policy) => isGuard(policy, project.phase))) {
    block(project, `${reason}, so no policy could judge the call`, null);
    return;
  }
  const journal = openJournal(project, describeHookCall(project, null));
  project.channel.answer(EMPTY_REPLY, journal, { ...ALLOWED_SILENTLY, problem: reason });
}

/** Whether the call would go through because this policy cannot judge it. */
function isGuard({ kind, mode, phases }: PlannedPolicy, phase: HookCall["phase"]): boolean {
  return kind === "enforcement" && mode !== "shadow" && phases.includes(phase === "post-tool" ? "pre-tool" : phase);
}

/** The journal notes every call that a pause lets through. */
function answerPaused(call: HookCall, problem: string, event: EventText | BrokenEvent): void {
  const journal = openJournal(call, describeHookCall(call, event instanceof BrokenEvent ? null : event));
  call.channel.answer(EMPTY_REPLY, journal, { ...ALLOWED_SILENTLY, problem });
}

function answerCanary(project: Project, event: EventText): void {
  const { adapter, phase, plan, policies, channel } = project;
  if (phase === "post-tool") {
    channel.letThrough();
    return;
  }
  for (const policy of policies) {
    const damage = findDamage(project, policy);
    if (damage !== undefined) {
      block(project, damage, event);
      return;
    }
  }
  const plans = plan.split(" ").map((digest) => `${CANARY_TOOL}:${digest}`);
  const text = adapter.encodeCanary(plans.join(" "));
  channel.answer({ text, effective: "allow" }, null, ALLOWED_SILENTLY);
}

/** The same agent for a call that it can't ask anybody about, and that it doesn't run with another input. */
function onlyDenying(adapter: HookAdapter): HookAdapter {
  return { ...adapter, can: { ...adapter.can, ask: false, rewrite: false, context: false }, deniesAsks: true };
}

function runPolicies(project: Project, event: EventText): void {
  const { phase, channel, pause } = project;
  const adapter = event.isOnlyDeniable ? onlyDenying(project.adapter) : project.adapter;
  const silence = { ...ALLOWED_SILENTLY, problem: pause };
  const { journal, prepared, events, planned } = prepareCall(project, event);
  const callback = phase === "pre-tool" ? "beforeToolCall" : "afterToolCall";
  if (prepared.length === 0) {
    channel.answer(EMPTY_REPLY, journal, silence);
    return;
  }
  if (isConfined() && !fitOneProcess(planned)) {
    block(project, "this project's policies need more than one process: run `drwn write`", event);
    return;
  }
  // From here on foreign code runs.
  const executor = chooseExecutor(project, { policies: prepared, events, callback, powers: null });
  const evaluation: CallEvaluation = {
    adapter,
    context: project,
    executor,
    journal,
    policies: prepared,
    events,
    callback,
    lifecycle: null,
  };
  if (phase === "post-tool") {
    runAfter(evaluation, () => {
      endWorkers(executor);
      channel.answer(EMPTY_REPLY, journal, silence);
    });
    return;
  }
  runBefore(evaluation, event, (verdict) => {
    endWorkers(executor);
    const reply = adapter.encode(
      presentVerdict(verdict, prepared, { can: adapter.can, key: project.key, home: project.home }),
    );
    const ruling = ruleOf(verdict, prepared);
    if (ruling !== null && isExceptable(verdict, prepared)) {
      ruling.call = { digest: digestOfCall(event), folder: event.cwd, session: event.session };
    }
    channel.answer(reply, journal, { verdict: verdict.action, effective: reply.effective, problem: pause, ruling });
  });
}

/** Blocks a call that the policies cannot judge. After a call there is nothing left to block, so it tells a person. */
function block(call: HookCall, reason: string, event: EventText | null): void {
  const { adapter, phase, lifecycle, channel } = call;
  if (lifecycle !== null) {
    lifecycle.hold(call, reason, event);
    return;
  }
  if (phase === "post-tool") {
    channel.complain(`drwn: ${reason}\n`);
    return;
  }
  const journal = openJournal(call, describeHookCall(call, event));
  const reply = adapter.encode(presentBlock(reason, call));
  channel.answer(reply, journal, { ...ALLOWED_SILENTLY, verdict: "deny", effective: reply.effective, problem: reason });
}
