import { findAdapter } from "../agents/adapters/calls.ts";
import { findMoments } from "../agents/adapters/moments.ts";
import { runner, runnerMoments } from "../agents/runner/adapter/moments.ts";
import type { HookAdapter, Moments } from "../hot/adapter/adapter.ts";
import { isLifecycleEvent } from "../policy/taxonomy.ts";
import { blockBare, openDoor } from "./answer/answer-agent.ts";
import { readArguments } from "./arguments.ts";
import { answerEvent } from "./hook.ts";
import type { HookCall } from "./hook-call.ts";
import { parseMoment } from "./moment.ts";
import { servePolicies } from "./processes/serve-policies.ts";
import { spawnWorker } from "./processes/spawn-worker.ts";
import { type StartWorkers, startWorkers } from "./processes/workers.ts";
import { runRequirement } from "./require.ts";
import { serveCalls } from "./serve-calls.ts";

/**
 * The launcher starts `hook.cjs <agent> <pre|post|event|require|serve> <key> <home> <project>
 * <git folder> <milliseconds> <plan> [explain | inputs | trace | trace-inputs]`; the hook process itself starts
 * `hook.cjs --policies`.
 */
function main([runtime = "", when = "", ...told]: readonly string[]): void {
  if (runtime === "--policies") {
    servePolicies();
    return;
  }
  // If anything ends this process before it has answered, the call is blocked.
  process.exitCode = 2;
  orBlock(() => {
    const { adapter, moments } = findSpeaker(runtime);
    const { totalMs, ...place } = readArguments(told);
    if (when === "serve") {
      serveCalls({ ...place, adapter, totalMs });
      return;
    }
    const start: StartWorkers = (work, ground) => startWorkers(spawnWorker, work, ground);
    const about = kindOf(when, adapter, moments);
    const means = { begun: 0, until: totalMs, door: openDoor(place.home), startWorkers: start };
    const call: HookCall = { ...place, ...about, ...means, adapter };
    if (when === "require") runRequirement(call, `${place.root === "/" ? "" : place.root}/.agents/drwn/config.json`);
    else answerEvent(call);
  }, told[1]);
}

function orBlock(work: () => void, home?: string): void {
  try {
    work();
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    blockBare(`the hook process failed, so the call is blocked: ${why}`, home);
  }
}

function findSpeaker(runtime: string): { adapter: HookAdapter; moments: Moments | undefined } {
  if (runtime === "runner") return { adapter: runner, moments: runnerMoments };
  const adapter = findAdapter(runtime);
  if (adapter === undefined) throw new Error("it was asked for an agent that it does not know");
  return { adapter, moments: findMoments(adapter.runtime) };
}

function kindOf(when: string, adapter: HookAdapter, moments: Moments | undefined): Pick<HookCall, "moment" | "phase"> {
  if (!isLifecycleEvent(when)) return { phase: when === "post" ? "post-tool" : "pre-tool", moment: null };
  const moment = parseMoment(adapter, moments, when);
  if (moment === undefined) throw new Error("it was asked for an event that the agent does not have");
  return { phase: when, moment };
}

main(process.argv.slice(2));
