import type { Adapter } from "../hot/adapter/adapter.ts";
import { blockBare, openDoor } from "./answer/answer-agent.ts";
import { readArguments } from "./arguments.ts";
import { answerEvent } from "./hook.ts";

/**
 * `hook-<agent>.cjs <agent> <pre|post> …`, with the arguments of `main.ts`: answers the tool calls of one agent when
 * every policy runs in this process. Nearly all calls wait for this program. It holds nothing else, because Node reads
 * a program's whole text before running its first line.
 */
export function answerCalls(adapter: Adapter, [, when, ...told]: readonly string[]): void {
  // If anything ends this process before it has answered, the call is blocked.
  process.exitCode = 2;
  try {
    const { totalMs, ...place } = readArguments(told);
    const phase = when === "post" ? "post-tool" : "pre-tool";
    answerEvent({
      ...place,
      adapter,
      phase,
      moment: null,
      begun: 0,
      until: totalMs,
      door: openDoor(place.home),
      startWorkers: null,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    blockBare(`the hook process failed, so the call is blocked: ${why}`, told[1]);
  }
}
