import type { Adapter, Reply } from "../agents/adapter.ts";
import { CANARY_TOOL, type PlannedPolicy } from "../contract/plan.ts";
import { fitOneProcess } from "../contract/processes.ts";
import type { Phase } from "../policy/event.ts";
import type { Door } from "./answer-agent.ts";
import { failure } from "./answer-of-policy.ts";
import type { Pass } from "./ask.ts";
import { chooseAsker, endWorkers, isConfined } from "./asker.ts";
import type { Ground } from "./child-permissions.ts";
import { decodeEvent, type EventText } from "./event.ts";
import {
  type Journal,
  type JournaledCall,
  type JournaledEnd,
  type JournalPlace,
  noteAnswer,
  openJournal,
} from "./journal.ts";
import { loadState } from "./load-state.ts";
import { findDamage, type PreparedPolicy, preparePolicy } from "./prepare.ts";
import { presentBlock, presentVerdict, ruleOf } from "./present.ts";
import { now } from "./primordials.ts";
import { BrokenEvent } from "./read-input.ts";
import { runAfter } from "./run-after.ts";
import { runBefore } from "./run-before.ts";
import { type Asked, selectPolicies } from "./select.ts";
import type { LoadedPolicy, Wanted } from "./shards.ts";
import type { SpawnWorker } from "./spawn-worker.ts";

/** One run of the hook: which agent, before or after the call, and whose project. */
export interface HookCall extends JournalPlace, Ground {
  adapter: Adapter;
  phase: Phase;
  /** When all policies together must have ended, in milliseconds since this process started. */
  until: number;
  door: Door;
  spawn: SpawnWorker;
}

const SILENCE: JournaledEnd = { verdict: "allow", effective: "allow", problem: null, ruling: null };
const NOTHING: Reply = { text: "", effective: "allow" };

interface Project extends HookCall {
  plan: string;
  policies: LoadedPolicy[];
}

/** Answers one event of an agent, possibly later. */
export function runHook(call: HookCall): void {
  const event = tryReading(call);
  const state = loadState(call, Date.now(), wantedBy(call, event));
  if (state.kind === "silent") {
    call.door.pass();
    return;
  }
  if (state.kind === "damaged") {
    block(call, state.reason, null);
    return;
  }
  if (state.kind === "paused") {
    answerPaused(call, state.until, event);
    return;
  }
  const project: Project = { ...call, plan: state.plan, policies: policiesFor(call, state.policies) };
  if (event instanceof BrokenEvent) {
    answerBroken(project, event);
    return;
  }
  if (event.toolName === CANARY_TOOL) {
    answerCanary(project);
    return;
  }
  runPolicies(project, event);
}

/** Of these, the ones that run in the agent that asks. */
function policiesFor({ adapter }: HookCall, policies: readonly LoadedPolicy[]): LoadedPolicy[] {
  return policies.filter(({ runtimes = null }) => runtimes === null || runtimes.includes(adapter.runtime));
}

function tryReading({ adapter, phase, door }: HookCall): EventText | BrokenEvent {
  try {
    return decodeEvent(adapter, phase, door.wire());
  } catch (error) {
    if (error instanceof BrokenEvent) return error;
    throw error;
  }
}

/** Undefined: what cannot be read concerns every policy, and so does the question whether they are all there. */
function wantedBy({ phase }: HookCall, event: EventText | BrokenEvent): Wanted | undefined {
  if (event instanceof BrokenEvent || event.toolName === CANARY_TOOL) return undefined;
  const parts = [event, ...event.views];
  return { names: parts.flatMap(({ toolName, aliases }) => [toolName, ...aliases]), phase };
}

function answerBroken(project: Project, { message }: BrokenEvent): void {
  const reason = `the event that the agent sent ${message}`;
  if (project.policies.some(isGuard)) {
    block(project, `${reason}, so no policy could judge the call`, null);
    return;
  }
  const journal = openJournal(project, describe(project, null));
  project.door.answer(NOTHING, journal, { ...SILENCE, problem: reason });
}

/** It cannot judge, and without it the call would go through. */
function isGuard({ kind, mode, phases }: PlannedPolicy): boolean {
  return kind === "enforcement" && mode !== "shadow" && phases.includes("pre-tool");
}

/** Every call that a pause lets through is in the journal. */
function answerPaused(call: HookCall, until: string, event: EventText | BrokenEvent): void {
  const journal = openJournal(call, describe(call, event instanceof BrokenEvent ? null : event.toolName));
  const end = { ...SILENCE, problem: `all policies are paused until ${until}` };
  call.door.answer(NOTHING, journal, end);
}

function answerCanary(project: Project): void {
  const { adapter, phase, plan, policies, door } = project;
  if (phase === "post-tool") {
    door.pass();
    return;
  }
  for (const policy of policies) {
    const damage = findDamage(project, policy);
    if (damage !== undefined) {
      block(project, damage, CANARY_TOOL);
      return;
    }
  }
  const text = adapter.encodeCanary(`${CANARY_TOOL}:${plan}`);
  door.answer({ text, effective: "allow" }, null, SILENCE);
}

function runPolicies(project: Project, event: EventText): void {
  const { adapter, phase, policies, door } = project;
  const journal = openJournal(project, { ...describe(project, event.toolName), input: event.input });
  const wanted = selectPolicies(shadowsLast(policies), { event, phase }, (policy) =>
    noteMatcher(project, journal, policy),
  );
  const prepared = prepareOnce(project, wanted);
  const callback = phase === "pre-tool" ? "beforeToolCall" : "afterToolCall";
  if (prepared.length === 0) {
    door.answer(NOTHING, journal, SILENCE);
    return;
  }
  const events = wanted.map((asked) => asked.event);
  if (isConfined() && !fitOneProcess(wanted.map(({ policy }) => policy))) {
    block(project, "this project's policies need more than one process: run `drwn write`", event.toolName);
    return;
  }
  // From here on foreign code runs.
  const by = chooseAsker(project, { policies: prepared, events, callback });
  const pass: Pass = { adapter, by, journal, policies: prepared, events, callback };
  if (phase === "post-tool") {
    runAfter(pass, () => {
      endWorkers(by);
      door.answer(NOTHING, journal, SILENCE);
    });
    return;
  }
  runBefore(pass, event, (verdict) => {
    endWorkers(by);
    const reply = adapter.encode(presentVerdict(verdict, prepared, adapter.can));
    const ruling = ruleOf(verdict, prepared);
    door.answer(reply, journal, { verdict: verdict.action, effective: reply.effective, problem: null, ruling });
  });
}

/** In the order of `wanted`. A policy that is asked about several parts of a call is read and loaded once. */
function prepareOnce(project: Project, wanted: readonly Asked[]): PreparedPolicy[] {
  const prepared = new Map<LoadedPolicy, PreparedPolicy>();
  return wanted.map(({ policy }) => {
    // What goes to other processes goes as text.
    const known = prepared.get(policy) ?? preparePolicy(project, isConfined() ? policy : { ...policy, body: null });
    prepared.set(policy, known);
    return known;
  });
}

/** Nothing that a shadow does is applied: the time that it takes must not be missing to the others either. */
function shadowsLast(policies: readonly LoadedPolicy[]): LoadedPolicy[] {
  const isShadow = ({ mode }: PlannedPolicy): boolean => mode === "shadow";
  return [...policies.filter((policy) => !isShadow(policy)), ...policies.filter(isShadow)];
}

/** Blocks what the policies cannot judge. After a call there is nothing left to block, and a person is told. */
function block(call: HookCall, reason: string, tool: string | null): void {
  const { adapter, phase, door } = call;
  if (phase === "post-tool") {
    door.complain(`drwn: ${reason}\n`);
    return;
  }
  const journal = openJournal(call, describe(call, tool));
  const reply = adapter.encode(presentBlock(reason));
  door.answer(reply, journal, { ...SILENCE, verdict: "deny", effective: reply.effective, problem: reason });
}

function noteMatcher(project: Project, journal: Journal, policy: PlannedPolicy): void {
  const answer = failure("has a matcher that does not work");
  noteAnswer(journal, preparePolicy(project, policy), {
    answer,
    carried: answer.action,
    isApplied: false,
    begun: now(),
  });
}

function describe({ adapter, phase }: HookCall, tool: string | null): JournaledCall {
  return { runtime: adapter.runtime, phase, tool, input: null };
}
