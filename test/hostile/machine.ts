import { spawnSync } from "node:child_process";
import type { Host } from "../../src/kernel/host.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";

/** What a tool call in a folder comes to, through the very command that `write` puts into the agent's settings. */
export function callTool(
  host: Host,
  folder = host.cwd,
  tool_input: object = { command: "ls" },
): "denied by the guard" | "blocked" | "silence" | string {
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input, cwd: folder };
  const command = hookCommand({ home: host.drwnHome, runtime: "claude-code", phase: "pre" });
  const env = { PATH: host.env["PATH"], HOME: host.home, CLAUDE_PROJECT_DIR: folder };
  const options = { cwd: folder, env, input: JSON.stringify(event), encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], options);
  if (status === 2) return "blocked";
  if (status !== 0) return `exit ${status}: ${stderr}`;
  if (stdout === "") return "silence";
  const reason: string = JSON.parse(stdout).hookSpecificOutput?.permissionDecisionReason ?? "";
  return reason.startsWith("[drwn]") ? "blocked" : "denied by the guard";
}
