import { findAdapter } from "../agents/adapters/calls.ts";
import { findMoments } from "../agents/adapters/moments.ts";
import { runner, runnerMoments } from "../agents/runner/adapter/moments.ts";
import type { HookAdapter, Moments } from "../hot/adapter/adapter.ts";
import { now } from "../hot/primordials.ts";
import { isLifecycleEvent } from "../policy/taxonomy.ts";
import { blockBare, openAwaitedDoor, openDoor } from "./answer/answer-agent.ts";
import { readArguments } from "./arguments.ts";
import { awaitCall, describeStart } from "./await-call.ts";
import { isForetold } from "./enter/hand-on.ts";
import { answerEvent } from "./hook.ts";
import type { HookCall } from "./hook-call.ts";
import { parseMoment } from "./moment.ts";
import { servePolicies } from "./processes/serve-policies.ts";
import { spawnWorker } from "./processes/spawn-worker.ts";
import { type StartWorkers, startWorkers } from "./processes/workers.ts";
import { rehearse } from "./rehearse.ts";
import { runRequirement } from "./require.ts";
import { serveCalls } from "./serve-calls.ts";

/**
 * The launcher starts `hook.cjs <agent> <pre|post|event|require|serve|ready:seconds> <key> <home> <project>
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
    const { totalMs, eventFile, ...place } = readArguments(told);
    if (when === "serve") {
      serveCalls({ ...place, adapter, totalMs });
      return;
    }
    const start: StartWorkers = (work, ground) => startWorkers(spawnWorker, work, ground);
    const [, idleSeconds] = /^ready:([0-9]+)$/u.exec(when) ?? [];
    if (idleSeconds !== undefined) {
      answerLater(runtime, told, Number(idleSeconds) * 1_000);
      return;
    }
    const about = kindOf(when, adapter, moments);
    const means = { begun: 0, until: totalMs, door: openDoor(eventFile, place.home), startWorkers: start };
    const call: HookCall = { ...place, ...about, ...means, adapter };
    if (when === "require") runRequirement(call, `${place.root === "/" ? "" : place.root}/.agents/drwn/config.json`);
    else answerEvent(call);
  }, told[1]);
}

/**
 * Runs a process that was started before its call: `hook.cjs <agent> ready:<seconds> …`, with a folder in place of the
 * event's file.
 */
function answerLater(runtime: string, told: readonly string[], idleMs: number): void {
  const { adapter, moments } = findSpeaker(runtime);
  const { totalMs, eventFile: slot, ...place } = readArguments(told);
  const startedFor = describeStart([runtime, ...told]);
  const isBounded = isForetold();
  const means = { ...place, adapter, startWorkers: null };
  const stage = rehearse({ ...means, phase: "pre-tool", moment: null, begun: 0, until: totalMs, door: openDoor("") });
  awaitCall({ ...place, slot, startedFor, idleMs }, ({ when, ...rung }) => {
    const begun = now();
    const door = openAwaitedDoor({ ...rung, isBounded });
    const times = { begun, until: begun + totalMs };
    orBlock(() =>
      answerEvent({ ...means, ...kindOf(when, adapter, moments), ...times, door, stage, readsAhead: true }),
    );
  });
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
