import type { Adapter } from "../hot/adapter/adapter.ts";
import { blockBare, openDoor } from "./answer/answer-agent.ts";
import { readArguments } from "./arguments.ts";
import { answerEvent } from "./hook.ts";

/**
 * `hook-<agent>.cjs <agent> <pre|post> …` as in `main.ts`: the same for the tool calls of one agent where every policy runs in this
 * process, which is what nearly all calls wait for. Nothing else is in it, because Node reads the text of a program before it runs
 * a line of it.
 */
export function answerCalls(adapter: Adapter, [, when, ...told]: readonly string[]): void {
  // Whatever ends this process before it has answered blocks the call.
  process.exitCode = 2;
  try {
    const { totalMs, eventFile, ...place } = readArguments(told);
    const phase = when === "post" ? "post-tool" : "pre-tool";
    answerEvent({
      ...place,
      adapter,
      phase,
      moment: null,
      begun: 0,
      until: totalMs,
      door: openDoor(eventFile, place.home),
      startWorkers: null,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    blockBare(`the hook process failed, so the call is blocked: ${why}`, told[1]);
  }
}
