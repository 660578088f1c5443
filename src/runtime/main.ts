import { runner } from "../agents/adapter-runner.ts";
import { findAdapter } from "../agents/adapters.ts";
import { DEADLINES } from "../contract/plan.ts";
import { isLifecycleEvent } from "../policy/taxonomy.ts";
import { blockBare, PROCESS_DOOR } from "./answer-agent.ts";
import { runHook } from "./hook.ts";
import type { HookCall } from "./hook-call.ts";
import { runRequirement } from "./require.ts";
import { serveCalls } from "./serve-calls.ts";
import { servePolicies } from "./serve-policies.ts";
import { spawnWorker } from "./spawn-worker.ts";

/**
 * `hook.cjs <runtime> <pre|post|event|require|serve> <key> <home> <project> <git folder> <milliseconds> [explain]`, started by the launcher;
 * or `hook.cjs --policies`, started by itself.
 */
function main([runtime = "", when = "", key = "", home = "", ...ground]: readonly string[]): void {
  if (runtime === "--policies") {
    servePolicies();
    return;
  }
  // Whatever ends this process before it has answered blocks the call.
  process.exitCode = 2;
  const phase = isLifecycleEvent(when) ? when : when === "post" ? "post-tool" : "pre-tool";
  try {
    const adapter = runtime === "runner" ? runner : findAdapter(runtime);
    if (adapter === undefined) throw new Error("it was asked for an agent that it does not know");
    if (!/^[0-9a-f]{1,64}$/u.test(key) || !home.startsWith("/")) throw new Error("it was not told whose project it is");
    const [root = "", common = "", total = "", mode = ""] = ground;
    const isExplained = mode === "explain";
    const place = { adapter, key, home, root, common, isExplained };
    if (when === "serve") {
      serveCalls({ ...place, totalMs: deadlineOf(total) });
      return;
    }
    const at = isLifecycleEvent(phase) ? (adapter.moments?.powersAt(phase) ?? null) : null;
    if (at === null && isLifecycleEvent(phase))
      throw new Error("it was asked for an event that the agent does not have");
    const call: HookCall = {
      ...place,
      phase,
      at,
      begun: 0,
      until: deadlineOf(total),
      door: PROCESS_DOOR,
      spawn: spawnWorker,
    };
    if (when === "require") runRequirement(call, `${root === "/" ? "" : root}/.agents/drwn/config.json`);
    else runHook(call);
  } catch (error) {
    blockBare(`the hook process failed, so the call is blocked: ${error instanceof Error ? error.message : ""}`);
  }
}

/** A launcher that an earlier version wrote names none. */
function deadlineOf(total: string): number {
  return /^[0-9]{1,5}$/u.test(total) ? Math.min(Number(total), DEADLINES.total) : DEADLINES.total;
}

main(process.argv.slice(2));
