import type { HookAdapter, Reply, Wire } from "../hot/adapter/adapter.ts";
import type { Phase } from "../policy/event.ts";
import type { LifecycleEvent } from "../policy/taxonomy.ts";
import type { CallChannel } from "./answer/call-channel.ts";
import type { ScopeArgument } from "./arguments.ts";
import type { EventText } from "./enter/event.ts";
import type { JournaledCall, JournaledVerdict, JournalSettings } from "./journal/journal.ts";
import type { ProjectPaths } from "./processes/child-permissions.ts";
import type { StartWorkers } from "./processes/workers.ts";
import type { ConfinedPolicyHost } from "./run/policy-host.ts";
import type { LoadedPolicy } from "./verify/shards.ts";

/**
 * One run of the hook: for which agent and project, and whether before or after a call, or at which moment of the
 * session.
 */
export interface HookCall extends JournalSettings, ProjectPaths {
  adapter: HookAdapter;
  phase: Phase | LifecycleEvent;
  /** How to handle a moment of the session; null: this is a tool call. */
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

/** How to handle a moment of the session. Programs that only answer tool calls leave this code out. */
export interface LifecycleStrategy {
  /** Throws a `BrokenEvent`. Null: the event isn't the moment that the hook is asked about. */
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
