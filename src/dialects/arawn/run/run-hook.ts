import fs from "node:fs";
import path from "node:path";
import { type CommandResult, runCommand } from "../../../helpers/handlers/command.ts";
import type { ArawnEvent, ArawnSubject, HookDef } from "../hook/hook.ts";

/** How one hook ended. */
export type ArawnHookResult =
  | { end: "passed"; output: string }
  /** It said no, by the rules of its generation. */
  | { end: "blocked"; reason: string }
  /** It couldn't do its work. */
  | { end: "failed"; what: string };

interface ArawnInput {
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

/** The fields of each event of the contract, in order: a hook gets these and no others. */
const FIELDS: Readonly<Partial<Record<ArawnEvent, readonly string[]>>> = {
  PreToolUse: ["tool", "params"],
  PostToolUse: ["tool", "params", "result"],
  SessionStart: ["session_id"],
  SessionEnd: ["session_id", "turn_count"],
  Stop: ["response"],
};

/** What a filter sees of this event. */
export function subjectOf(event: ArawnEvent, context: object): ArawnSubject {
  if (FIELDS[event] !== undefined && event !== "PreToolUse" && event !== "PostToolUse") return {};
  const tool: unknown = Reflect.get(context, "tool");
  const params: unknown = Reflect.get(context, "params");
  return { ...(typeof tool === "string" ? { tool } : {}), ...(params === undefined ? {} : { params }) };
}

/** The JSON that a hook reads: the event's own fields, or for settings one object that names the event. */
export function stdinFor({ generation }: HookDef, event: ArawnEvent, context: object): string {
  const fields = FIELDS[event];
  // `kept_going` is only between drwn and the dispatcher.
  const all = Object.entries(context).filter(([name]) => name !== "kept_going");
  if (generation === "settings.json") return JSON.stringify({ hook_event: event, ...renamed(all) });
  const own = fields === undefined ? all : fields.map((field) => [field, Reflect.get(context, field) ?? null] as const);
  return JSON.stringify(Object.fromEntries(own));
}

const NAMES: Readonly<Record<string, string>> = { tool: "tool_name", params: "tool_input", result: "tool_response" };

function renamed(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([name, value]) => [Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name, value]),
  );
}
