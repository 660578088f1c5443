import { spawnSync } from "node:child_process";
import os from "node:os";
import { type HookCommand, type HookPhase, hookStart, isHeldAtStart } from "../../src/wiring/launcher.ts";

export interface HookResult {
  status: number | null;
  stdout: string;
  stderr: string;
  /** What stdout says to Claude Code; undefined if it is empty. */
  said: ClaudeAnswer | undefined;
}

export interface ClaudeAnswer {
  systemMessage?: string;
  decision?: string;
  reason?: string;
  hookSpecificOutput?: {
    hookEventName: string;
    permissionDecision?: string;
    permissionDecisionReason?: string;
    updatedInput?: unknown;
    additionalContext?: string;
    decision?: { behavior: string; message: string };
  };
}

export interface CallOptions {
  phase?: HookPhase;
  /** The agent that sends it; Claude Code when absent. */
  runtime?: HookCommand["runtime"];
  shell?: string;
  cwd?: string;
  env?: Record<string, string>;
  /** The raw input, instead of an event. */
  input?: string | Buffer;
}

/** What an agent sends: an event of Claude Code. */
export function eventOf(phase: HookPhase, cwd: string): Record<string, unknown> {
  const session = { session_id: "session-1", transcript_path: "/dev/null", cwd };
  if (phase !== "pre" && phase !== "post") return session;
  return {
    ...session,
    hook_event_name: phase === "pre" ? "PreToolUse" : "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: "toolu_1",
  };
}

/** Runs the command the way an agent would. */
export function runShell(command: string, project: string, { shell = "sh", ...options }: CallOptions): HookResult {
  return runProgram({ program: shell, args: ["-c", command] }, project, options);
}

/**
 * Starts the hook the way the agent would; with a shell, that one reads the launcher of Claude Code's entry. Claude Code holds
 * what `onFailure` names if the hook fails or cannot be started.
 */
export function startHook(request: HookCommand, project: string, { shell, ...options }: CallOptions): HookResult {
  const { program, args } = hookStart(request);
  if (request.runtime !== "claude-code") return runProgram({ program: shell ?? program, args }, project, options);
  const start = shell === undefined ? { program, args } : { program: shell, args: [program, ...args] };
  const result = runProgram(start, project, options);
  const isStrict = request.phase === "pre" || isHeldAtStart(request.phase);
  return isStrict && result.status !== 0 ? { ...result, status: 2 } : result;
}

function runProgram(
  { program, args }: { program: string; args: readonly string[] },
  project: string,
  { cwd, env, input }: CallOptions,
): HookResult {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: cwd ?? project,
    env: { PATH: process.env["PATH"], HOME: os.homedir(), CLAUDE_PROJECT_DIR: project, ...env },
    input: input ?? "",
    encoding: "utf8",
    timeout: 40_000,
    killSignal: "SIGKILL",
    maxBuffer: 64 * 1024 * 1024,
  });
  return {
    status,
    stdout: stdout ?? "",
    stderr: stderr ?? "",
    said: stdout?.startsWith("{") ? JSON.parse(stdout) : undefined,
  };
}

/** What happens to the call: denied with a reason, or whatever else Claude Code is told. */
export function verdictOf({ status, stdout, said }: HookResult): string {
  if (status === 2) return "block";
  if (status !== 0) return `exit ${status}`;
  if (stdout === "") return "silence";
  return said?.hookSpecificOutput?.permissionDecision ?? "told";
}

export function reasonOf({ said, stderr }: HookResult): string {
  return said?.hookSpecificOutput?.permissionDecisionReason ?? stderr;
}
