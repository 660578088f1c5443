import { runCommand } from "../../../helpers/handlers/command.ts";
import { inputOfCall, type PolytokenCall, variablesOf } from "./call.ts";
import { decodeEnd } from "./decode.ts";
import type { PolytokenEvent, PolytokenOutcome } from "./events.ts";

/** One hook, as Polytoken's files have it. */
export interface PolytokenHook {
  /** In logs, and in `POLYTOKEN_HANDLER_NAME`. */
  name: string;
  event: PolytokenEvent;
  /** A glob on the tool, the type of subagent, or the event's own name. Absent: it fires on every instance. */
  matcher?: string;
  handler: {
    /** A Bash script: the event comes on standard input, and its answer is what it prints, or its exit code. */
    bash: string;
  };
}

/** The process around the handlers. */
export interface HandlerPlace {
  env: Readonly<Record<string, string | undefined>>;
  cwd?: string | undefined;
  timeoutMs: number;
  /** Whoever supervises this process ends it with all that is in its process group. */
  isSupervised?: boolean;
}

/** Milliseconds after which a handler is stopped, unless something else is said. */
export const DEADLINE_MS = 30_000;

const MOST_OUTPUT = 1024 * 1024;

/** Runs the hook's script and says what its end means. It never throws: whatever goes wrong is an error outcome. */
export async function runPolytokenHook(
  hook: PolytokenHook,
  call: PolytokenCall,
  place: HandlerPlace,
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
  return decodeEnd(call.event, end);
}

function definedOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) defined[name] = value;
  return defined;
}
