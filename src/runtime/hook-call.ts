import type { HookAdapter, MomentPowers, Reply } from "../agents/adapter.ts";
import type { Phase } from "../policy/event.ts";
import type { LifecycleEvent } from "../policy/taxonomy.ts";
import type { Door } from "./answer-agent.ts";
import type { Ground } from "./child-permissions.ts";
import type { JournaledCall, JournaledEnd, JournalPlace } from "./journal.ts";
import type { LoadedPolicy } from "./shards.ts";
import type { SpawnWorker } from "./spawn-worker.ts";

/** One run of the hook: which agent, before or after the call or at which moment of the session, and whose project. */
export interface HookCall extends JournalPlace, Ground {
  adapter: HookAdapter;
  phase: Phase | LifecycleEvent;
  /** Of a moment of the session, what hooks can do there in this agent; null: it is a tool call. */
  at: MomentPowers | null;
  /** When all policies together must have ended, in milliseconds since this process started. */
  until: number;
  door: Door;
  spawn: SpawnWorker;
}

/** A call with the policies that are in force for it. */
export interface Project extends HookCall {
  plan: string;
  policies: LoadedPolicy[];
}

export const SILENCE: JournaledEnd = { verdict: "allow", effective: "allow", problem: null, ruling: null };
export const NOTHING: Reply = { text: "", effective: "allow" };

export function describeCall({ adapter, phase }: HookCall, tool: string | null): JournaledCall {
  return { runtime: adapter.runtime, phase, tool: tool === "" ? null : tool, input: null };
}
