import type { HookAdapter, Reply, Wire } from "../hot/adapter/adapter.ts";
import type { Phase } from "../policy/event.ts";
import type { LifecycleEvent } from "../policy/taxonomy.ts";
import type { Door } from "./answer/answer-agent.ts";
import type { TakeQueue } from "./answer/ask.ts";
import type { ScopeTold } from "./arguments.ts";
import type { EventText } from "./enter/event.ts";
import type { JournaledCall, JournaledEnd, JournalPlace } from "./journal/journal.ts";
import type { Ground } from "./processes/child-permissions.ts";
import type { StartWorkers } from "./processes/workers.ts";
import type { ConfinedStage } from "./run/stage.ts";
import type { LoadedPolicy } from "./verify/shards.ts";

/** One run of the hook: which agent, before or after the call or at which moment of the session, and whose project. */
export interface HookCall extends JournalPlace, Ground {
  adapter: HookAdapter;
  phase: Phase | LifecycleEvent;
  /** What is done at a moment of the session; null: it is a tool call. */
  moment: MomentCall | null;
  /** When all policies together must have ended, in milliseconds since this process started. */
  until: number;
  door: Door;
  /** The plan that this process was confined for, by its digest; "": it was not told. */
  confinedFor: string;
  /** What holds in every folder, beside what holds in the project; null: nothing, or it is all there is. */
  above: ScopeTold | null;
  /** It is only found out whether a person is to be asked: the call itself comes later. */
  isRehearsed?: boolean;
  /** Null: policies run in this process, which Node confines, or not at all. */
  startWorkers: StartWorkers | null;
  /** Of a process that answers more than one call. */
  stage?: ConfinedStage | null;
  takeQueue?: TakeQueue;
  /** The event is still on its way: meanwhile policies are read. */
  readsAhead?: boolean;
}

/** A call that is a moment of the session. A program that answers tool calls alone knows none. */
export interface MomentCall {
  /** Throws a `BrokenEvent`. Null: another moment than the one that the hook is asked about. */
  decode: (wire: Wire) => EventText | null;
  /** Asks the lifecycle hooks, and answers the agent. */
  run: (project: Project, event: EventText) => void;
  /** Holds what the hooks cannot judge, where the agent lets it be held; else a person is told. */
  hold: (call: HookCall, reason: string, event: EventText | null) => void;
}

/** A call with the policies that are in force for it. */
export interface Project extends HookCall {
  /** Digests of the plans in force, with a space between them. */
  plan: string;
  policies: LoadedPolicy[];
  /** What the journal says of a scope that a person has paused, while another one holds; null: none is. */
  pause: string | null;
}

export const SILENCE: JournaledEnd = { verdict: "allow", effective: "allow", problem: null, ruling: null };
export const NOTHING: Reply = { text: "", effective: "allow" };

export function describeHookCall({ adapter, phase }: HookCall, event: EventText | null): JournaledCall {
  const { toolName = "", callId = "", session = "" } = event ?? {};
  return { runtime: adapter.runtime, phase, tool: toolName === "" ? null : toolName, input: null, callId, session };
}
