import { findAdapter } from "../../agents/adapters.ts";
import { blockAsLastResort, openCallChannel } from "../answer/call-channel.ts";
import { answerEvent } from "../answer-event.ts";
import { homeIn, readArguments } from "../arguments.ts";

/**
 * `hook-calls.cjs <agent> <pre|post> …`, with the arguments of `hook.ts`: answers tool calls when every policy runs in
 * this process. Nearly all calls wait for this program. It holds nothing else, because Node reads a program's whole text
 * before running its first line.
 */
function answerCalls([runtime = "", when, ...args]: readonly string[]): void {
  // If anything ends this process before it has answered, the call is blocked.
  process.exitCode = 2;
  try {
    const adapter = findAdapter(runtime);
    if (adapter === undefined) throw new Error("it doesn't know this agent");
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

answerCalls(process.argv.slice(2));
