import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { traceProcess } from "../../kernel/trace.ts";
import type { LiveRun } from "../../wiring/target.ts";

const PATIENCE_MS = 60_000;

export interface AgentCommand {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** Runs an installed agent until it ends or takes too long, and ends whatever it has started. */
export function runAgent({ program, args, cwd, env }: AgentCommand): Promise<LiveRun> {
  return new Promise((resolve) => {
    const ended = traceProcess(program, args);
    const child = spawn(program, args, {
      cwd,
      env: withOwnTemp(env),
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
      ended(status);
      clearTimeout(timer);
      endGroup(child.pid);
      resolve({ state: "ended", said: isLate ? `it did not end within ${PATIENCE_MS / 1_000} s` : said, status });
    });
  });
}

/** What agents leave behind disappears with the throw-away home. */
function withOwnTemp(env: AgentCommand["env"]): AgentCommand["env"] {
  if (env["HOME"] === undefined) return env;
  const folder = path.join(env["HOME"], "tmp");
  fs.mkdirSync(folder, { recursive: true });
  return { ...env, TMPDIR: folder };
}

/** Ends the agent and whatever it has started. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
