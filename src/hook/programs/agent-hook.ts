import type { Adapter } from "../../hook-base/adapter/adapter.ts";
import { blockAsLastResort, openCallChannel } from "../answer/call-channel.ts";
import { answerEvent } from "../answer-event.ts";
import { homeIn, readArguments } from "../arguments.ts";

/**
 * `hook-<agent>.cjs <agent> <pre|post> …`, with the arguments of `hook.ts`: answers the tool calls of one agent when
 * every policy runs in this process. Nearly all calls wait for this program. It holds nothing else, because Node reads
 * a program's whole text before running its first line.
 */
export function answerCalls(adapter: Adapter, [, when, ...args]: readonly string[]): void {
  // If anything ends this process before it has answered, the call is blocked.
  process.exitCode = 2;
  try {
    const { totalMs, ...place } = readArguments(args);
    const phase = when === "post" ? "post-tool" : "pre-tool";
    answerEvent({
      ...place,
      adapter,
      phase,
      lifecycle: null,
      begun: 0,
      until: totalMs,
      channel: openCallChannel(place.home),
      startWorkers: null,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    blockAsLastResort(`the hook process failed, so the call is blocked: ${why}`, homeIn(args));
  }
}
