import type { PlannedPolicy } from "../contract/plan.ts";
import type { HookAdapter, Reply, Wire } from "../hook-base/adapter/adapter.ts";
import { now } from "../hook-base/primordials.ts";
import type { Phase } from "../policy/event.ts";
import type { LifecycleEvent } from "../policy/lifecycle-events.ts";
import type { CallChannel } from "./answer/call-channel.ts";
import type { ScopeArgument } from "./arguments.ts";
import type { EventText } from "./enter/event.ts";
import { findException } from "./exceptions/exceptions.ts";
import {
  type Journal,
  type JournaledCall,
  type JournaledVerdict,
  type JournalSettings,
  noteAnswer,
  openJournal,
} from "./journal/journal.ts";
import type { ProjectPaths } from "./processes/spawn-worker.ts";
import type { StartWorkers } from "./processes/workers.ts";
import { isConfined } from "./run/confine.ts";
import { failure } from "./run/policy-answer.ts";
import type { ConfinedPolicyHost } from "./run/policy-host.ts";
import { type PreparedPolicy, preparePolicy, type SelectedPolicy, selectPolicies } from "./verify/read-policy.ts";
import type { LoadedPolicy } from "./verify/shards.ts";

/**
 * One run of the hook: for which agent and project, and whether before or after a call, or at which event of the
 * session.
 */
export interface HookCall extends JournalSettings, ProjectPaths {
  adapter: HookAdapter;
  phase: Phase | LifecycleEvent;
  /** How to handle a lifecycle event; null: this is a tool call. */
  lifecycle: LifecycleStrategy | null;
  /** When all policies together must have ended, in milliseconds since this process started. */
  until: number;
  channel: CallChannel;
  /** The digest of the plan that this process was confined for; "": the launcher did not say. */
  confinedFor: string;
  /** What judges beside the nearest project: the projects around it, nearest first, and last what holds in every folder. */
  outerScopes: readonly ScopeArgument[];
  /** The caller only wants to know whether a person must be asked; the call itself comes later. */
  isPreflight?: boolean;
  /** Absent: the home in the environment, or that of the account. */
  userHome?: string;
  /** Null: policies run in this process, if Node confines it, and nowhere else. */
  startWorkers: StartWorkers | null;
  /** The stage of a process that answers more than one call. */
  policyHost?: ConfinedPolicyHost | null;
}

/** How to handle a lifecycle event. Programs that only answer tool calls leave this code out. */
export interface LifecycleStrategy {
  /** Throws a `BrokenEvent`. Null: the event isn't the one that the hook is asked about. */
  decode: (wire: Wire) => EventText | null;
  /** Asks the lifecycle hooks, and answers the agent. */
  run: (project: Project, event: EventText) => void;
  /** Holds an event that the hooks cannot judge, if the agent allows that; otherwise tells a person. */
  hold: (call: HookCall, reason: string, event: EventText | null) => void;
}

/** A call with the policies that are in force for it. */
export interface Project extends HookCall {
  /** The digests of the plans in force, separated by spaces. */
  plan: string;
  policies: LoadedPolicy[];
  /** What the journal says about a scope that a person has paused while another one holds; null: none is paused. */
  pause: string | null;
}

export const ALLOWED_SILENTLY: JournaledVerdict = { verdict: "allow", effective: "allow", problem: null, ruling: null };
export const EMPTY_REPLY: Reply = { text: "", effective: "allow" };

export function describeHookCall({ adapter, phase }: HookCall, event: EventText | null): JournaledCall {
  const { toolName = "", callId = "", session = "" } = event ?? {};
  const input = event === null ? null : event.input;
  return { runtime: adapter.runtime, phase, tool: toolName === "" ? null : toolName, input, callId, session };
}

/** Everything that is read before the first policy runs. */
interface PreparedCall {
  journal: Journal;
  /**
   * In the order in which they are asked; a policy that is asked about several parts of a call is listed several times.
   */
  prepared: PreparedPolicy[];
  events: EventText[];
  planned: LoadedPolicy[];
}

export function prepareCall(project: Project, event: EventText): PreparedCall {
  const { phase, policies } = project;
  const journal = openJournal(project, describeHookCall(project, event));
  const wanted = selectPolicies(shadowsLast(policies), { event, phase }, (policy) =>
    noteMatcher(project, journal, policy),
  );
  return {
    journal,
    prepared: prepareOnce(project, wanted, phase === "pre-tool" ? event : null),
    events: wanted.map((asked) => asked.event),
    planned: wanted.map(({ policy }) => policy),
  };
}

/** Keeps the order of `wanted`. A policy that is asked about several parts of a call is read and loaded once. */
function prepareOnce(project: Project, wanted: readonly SelectedPolicy[], call: EventText | null): PreparedPolicy[] {
  const prepared = new Map<LoadedPolicy, PreparedPolicy>();
  return wanted.map(({ policy }) => {
    const known = prepared.get(policy);
    if (known !== undefined) return known;
    // Other processes get the policy as text, not as a compiled body.
    const ready = preparePolicy(project, isConfined() ? policy : { ...policy, body: null });
    const { exceptions = [], scope = project.key } = policy;
    // The scope of the consent is that of the exception, and its uses are noted there.
    if (call !== null && exceptions.length > 0)
      ready.exception = findException({ home: project.home, key: scope }, exceptions, call);
    prepared.set(policy, ready);
    return ready;
  });
}

/** Shadows change nothing, so they must not take time from the other policies either. */
function shadowsLast(policies: readonly LoadedPolicy[]): LoadedPolicy[] {
  const isShadow = ({ mode }: PlannedPolicy): boolean => mode === "shadow";
  return [...policies.filter((policy) => !isShadow(policy)), ...policies.filter(isShadow)];
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
