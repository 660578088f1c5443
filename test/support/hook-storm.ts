import { spawn } from "node:child_process";
import { hookCommand } from "../../src/wiring/launcher.ts";
import type { ArmedHome } from "./armed-home.ts";
import type { HookResult } from "./hook-calls.ts";

/** Sends the same event through this many hook processes at once. */
export function callAtOnce(armed: ArmedHome, count: number): Promise<HookResult[]> {
  const input = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } });
  return Promise.all(Array.from({ length: count }, () => callOnce(armed, input)));
}

function callOnce({ home, project }: ArmedHome, input: string): Promise<HookResult> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", hookCommand({ home, runtime: "claude-code", phase: "pre" })], {
      cwd: project,
      env: { PATH: process.env["PATH"], HOME: home, CLAUDE_PROJECT_DIR: project },
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (status) =>
      resolve({ status, stdout, stderr, said: stdout === "" ? undefined : JSON.parse(stdout) }),
    );
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
