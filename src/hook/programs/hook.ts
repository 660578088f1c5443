import { findAdapter, findLifecycleAdapter } from "../../agents/adapters.ts";
import { runner, runnerLifecycle } from "../../agents/runner.ts";
import type { HookAdapter, LifecycleAdapter } from "../../hook-base/adapter/adapter.ts";
import { isLifecycleEvent } from "../../policy/lifecycle-events.ts";
import { blockAsLastResort, openCallChannel } from "../answer/call-channel.ts";
import { answerEvent } from "../answer-event.ts";
import { homeIn, readArguments } from "../arguments.ts";
import { answerCommittedEntry } from "../committed-entry.ts";
import { lifecycleStrategyFor } from "../lifecycle-event.ts";
import type { HookCall } from "../prepare-call.ts";
import { servePolicies } from "../processes/serve-policies.ts";
import { spawnWorker } from "../processes/spawn-worker.ts";
import { type StartWorkers, startWorkers } from "../processes/workers.ts";
import { serveCalls } from "./app-server.ts";

/**
 * The launcher starts `hook.cjs <agent> <pre|post|event|require|serve> key=… home=…` (`arguments.ts`); the hook process
 * itself starts `hook.cjs --policies`.
 */
function main([runtime = "", when = "", ...args]: readonly string[]): void {
  if (runtime === "--policies") {
    servePolicies();
    return;
  }
  // If anything ends this process before it has answered, the call is blocked.
  process.exitCode = 2;
  orBlock(() => {
    const { adapter, lifecycleAdapter } = findSpeaker(runtime);
    const { totalMs, ...place } = readArguments(args);
    if (when === "serve") {
      serveCalls({ ...place, adapter, totalMs });
      return;
    }
    const start: StartWorkers = (work, ground) => startWorkers(spawnWorker, work, ground);
    const about = kindOf(when, adapter, lifecycleAdapter);
    const means = { begun: 0, until: totalMs, channel: openCallChannel(place.home), startWorkers: start };
    const call: HookCall = { ...place, ...about, ...means, adapter };
    if (when === "require")
      answerCommittedEntry(call, `${place.root === "/" ? "" : place.root}/.agents/drwn/config.json`);
    else answerEvent(call);
  }, homeIn(args));
}

function orBlock(work: () => void, home?: string): void {
  try {
    work();
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    blockAsLastResort(`the hook process failed, so the call is blocked: ${why}`, home);
  }
}

function findSpeaker(runtime: string): { adapter: HookAdapter; lifecycleAdapter: LifecycleAdapter | undefined } {
  if (runtime === "runner") return { adapter: runner, lifecycleAdapter: runnerLifecycle };
  const adapter = findAdapter(runtime);
  if (adapter === undefined) throw new Error("it doesn't know this agent");
  return { adapter, lifecycleAdapter: findLifecycleAdapter(adapter.runtime) };
}

function kindOf(
  when: string,
  adapter: HookAdapter,
  lifecycleAdapter: LifecycleAdapter | undefined,
): Pick<HookCall, "lifecycle" | "phase"> {
  if (!isLifecycleEvent(when)) return { phase: when === "post" ? "post-tool" : "pre-tool", lifecycle: null };
  const lifecycle = lifecycleStrategyFor(adapter, lifecycleAdapter, when);
  if (lifecycle === undefined) throw new Error("the agent doesn't have this event");
  return { phase: when, lifecycle };
}

main(process.argv.slice(2));
