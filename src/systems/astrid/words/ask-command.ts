import { runCommand } from "../../../helpers/handlers/command.ts";
import { contextJson, contextVariables } from "./context.ts";
import { commandEnvironment } from "./environment.ts";
import {
  fromRoot,
  type HandlerCall,
  type HandlerResult,
  MOST_BYTES,
  millisecondsOf,
  readOutput,
} from "./handler-result.ts";
import type { CommandHandler } from "./hook.ts";
import { parseOutput } from "./result.ts";

/** Starts the program directly, in an environment of its own. Its output counts only if it exits with 0. */
export async function askCommand(handler: CommandHandler, call: HandlerCall): Promise<HandlerResult> {
  const end = await runCommand({
    command: handler.command,
    args: handler.args,
    input: contextJson(call.context, call.previous),
    env: { ...commandEnvironment(call.env, handler.env), ...contextVariables(call.context) },
    cwd: handler.workingDir === null ? call.root : fromRoot(call.root, handler.workingDir),
    isSupervised: call.isSupervised === true,
    timeoutMs: millisecondsOf(call),
    maxOutputBytes: MOST_BYTES,
  });
  if (end.kind === "timeout") return { status: "timeout", timeoutSecs: call.timeoutSecs };
  if (end.kind === "unstartable") return { status: "failure", error: `it cannot be started: ${end.reason}` };
  const { code, stdout, stderr, truncated } = end;
  if (code !== 0) return { status: "failure", error: `Command exited with code ${code ?? -1}`, stderr };
  if (truncated) return { status: "failure", error: `it printed more than ${MOST_BYTES} bytes`, stderr };
  return readOutput(() => parseOutput(stdout));
}
