import { runCommand } from "../../../helpers/handlers/command.ts";
import { inputOfCall, type PolytokenCall, variablesOf } from "./call.ts";
import { decodeResult } from "./decode.ts";
import type { PolytokenEvent, PolytokenOutcome } from "./events.ts";

/** One hook, as Polytoken's files have it. */
export interface PolytokenHook {
  /** The name in logs and in `POLYTOKEN_HANDLER_NAME`. */
  name: string;
  event: PolytokenEvent;
  /** A glob for the tool, the type of subagent, or the event's own name. Absent: it fires on every instance. */
  matcher?: string;
  handler: {
    /** A Bash script. It gets the event on standard input, and answers with what it prints or with its exit code. */
    bash: string;
  };
}

/** The process around the handlers. */
export interface HandlerContext {
  env: Readonly<Record<string, string | undefined>>;
  cwd?: string | undefined;
  timeoutMs: number;
  /** Whoever supervises this process ends its whole process group. */
  isSupervised?: boolean;
}

/** After how many milliseconds a handler is stopped by default. */
export const DEADLINE_MS = 30_000;

const MOST_OUTPUT = 1024 * 1024;

/** Runs the hook's script and says what its end means. Never throws: whatever goes wrong is an error outcome. */
export async function runPolytokenHook(
  hook: PolytokenHook,
  call: PolytokenCall,
  place: HandlerContext,
): Promise<PolytokenOutcome> {
  const end = await runCommand({
    command: "bash",
    args: ["-c", hook.handler.bash],
    input: inputOfCall(call),
    env: definedOf({ ...place.env, ...variablesOf(call, hook.name) }),
    ...(place.cwd === undefined ? {} : { cwd: place.cwd }),
    isSupervised: place.isSupervised === true,
    timeoutMs: place.timeoutMs,
    maxOutputBytes: MOST_OUTPUT,
  });
  return decodeResult(call.event, end);
}

function definedOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) defined[name] = value;
  return defined;
}
