import fs from "node:fs";
import path from "node:path";
import { type CommandResult, runCommand } from "../../../helpers/handlers/command.ts";
import type { HookDef } from "../hook/hook.ts";

/** How one hook ended. */
export type ArawnHookResult =
  | { end: "passed"; output: string }
  /** It said no, by the rules of its generation. */
  | { end: "blocked"; reason: string }
  /** It couldn't do its work. */
  | { end: "failed"; what: string };

export interface ArawnInput {
  /** What the hook reads on standard input. */
  stdin: string;
  sessionId: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

const MOST_OUTPUT = 65_536;

export async function runArawnHook(hook: HookDef, { stdin, sessionId, env }: ArawnInput): Promise<ArawnHookResult> {
  const isSettings = hook.generation === "settings.json";
  const end = await runCommand({
    command: isSettings ? hook.command : programOf(hook),
    ...(isSettings ? { shell: "sh" } : {}),
    input: stdin,
    env: environmentFor(hook, { sessionId, env }),
    cwd: hook.folder,
    timeoutMs: hook.timeoutMs,
    maxOutputBytes: MOST_OUTPUT,
  });
  return isSettings ? readSettingsEnd(end, hook) : readPluginEnd(end, hook);
}

/** A path is relative to the plugin's folder. A bare name is a file there, or otherwise a program on this machine. */
function programOf({ command, folder }: HookDef): string {
  const own = path.resolve(folder, command);
  return command.includes("/") || fs.existsSync(own) ? own : command;
}

function environmentFor(hook: HookDef, { sessionId, env }: Omit<ArawnInput, "stdin">): Record<string, string> {
  const given = {
    ...env,
    ...(hook.generation === "settings.json" ? {} : { ARAWN_PLUGIN_DIR: hook.folder, CLAUDE_PLUGIN_ROOT: hook.folder }),
    // Another session's id must not pass for this one's.
    ARAWN_SESSION_ID: sessionId,
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Every end but a clean one is a no. */
function readPluginEnd(end: CommandResult, hook: HookDef): ArawnHookResult {
  if (end.kind !== "exited") return { end: "failed", what: describeFailure(end, hook) };
  if (end.code === 0) return { end: "passed", output: end.stdout.trim() };
  return { end: "blocked", reason: end.stdout.trim() || end.stderr.trim() || describeExit(end, hook) };
}

const BLOCKS = 2;

/** Only exit code 2 and the deadline are a no; any other failure is a warning. */
function readSettingsEnd(end: CommandResult, hook: HookDef): ArawnHookResult {
  if (end.kind === "timeout") return { end: "blocked", reason: describeFailure(end, hook) };
  if (end.kind === "unstartable") return { end: "failed", what: describeFailure(end, hook) };
  if (end.code === 0) return { end: "passed", output: end.stdout.trim() };
  if (end.code !== BLOCKS) return { end: "passed", output: "" };
  return { end: "blocked", reason: end.stderr.trim() || end.stdout.trim() || describeExit(end, hook) };
}

function describeFailure(end: Exclude<CommandResult, { kind: "exited" }>, { command, timeoutMs }: HookDef): string {
  if (end.kind === "timeout") return `the hook \`${command}\` timed out after ${timeoutMs / 1_000} s`;
  return `the hook \`${command}\` cannot be started: ${end.reason}`;
}

function describeExit({ code, signal }: Extract<CommandResult, { kind: "exited" }>, { command }: HookDef): string {
  return `the hook \`${command}\` ended ${signal === null ? `with exit code ${code}` : `by ${signal}`} and gave no reason`;
}
