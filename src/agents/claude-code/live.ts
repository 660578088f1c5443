import { spawn } from "node:child_process";
import type { LiveRequest, LiveRun } from "../target.ts";
import { startScriptedModel } from "./scripted-model.ts";

const PATIENCE_MS = 60_000;

/**
 * One turn of the user's own Claude Code in a home of its own: none of the user's settings, logins or history is in its reach,
 * and the model that it talks to is this process.
 */
export async function runClaudeLive({ env, home, project, commands }: LiveRequest): Promise<LiveRun> {
  const model = await startScriptedModel(commands);
  try {
    return await run(project, {
      ...(env["PATH"] === undefined ? {} : { PATH: env["PATH"] }),
      HOME: home,
      CLAUDE_CONFIG_DIR: `${home}/.claude`,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    });
  } finally {
    await model.close();
  }
}

function run(cwd: string, env: Record<string, string>): Promise<LiveRun> {
  return new Promise((resolve) => {
    const child = spawn("claude", ["-p", "go", "--model", "claude-sonnet-4-5", "--allowedTools", "Bash"], {
      cwd,
      env,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    let said = "";
    let isLate = false;
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      said = (said + chunk).slice(-2_000);
    });
    const timer = setTimeout(() => {
      isLate = true;
      endGroup(child.pid);
    }, PATIENCE_MS);
    child.on("error", () => {
      clearTimeout(timer);
      resolve({ state: "not-installed" });
    });
    child.on("close", (status) => {
      clearTimeout(timer);
      endGroup(child.pid);
      resolve({ state: "ended", said: isLate ? `it did not end within ${PATIENCE_MS / 1_000} s` : said, status });
    });
  });
}

/** With whatever it has started. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
