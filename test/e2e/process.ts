import { spawn } from "node:child_process";

export interface ProcessRequest {
  program: string;
  args: readonly string[];
  cwd: string;
  /** Exactly this, and PATH: what the machine's user is logged in to stays out of reach. */
  env: Readonly<Record<string, string>>;
  timeoutMs?: number;
}

export interface ProcessResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. After the timeout its whole process group is killed, and that is an error. */
export function runProcess({ program, args, cwd, env, timeoutMs = 60_000 }: ProcessRequest): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { PATH: process.env["PATH"], ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    let isLate = false;
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      stderr += chunk;
    });
    const timer = setTimeout(() => {
      isLate = true;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, timeoutMs);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (isLate) reject(new Error(`${program} did not end within ${timeoutMs} ms\n${stdout}\n${stderr}`));
      else resolve({ code, stdout, stderr });
    });
  });
}

/** As `runProcess`; any exit code but 0 is an error that shows what the program said. */
export async function runToSuccess(request: ProcessRequest): Promise<ProcessResult> {
  const result = await runProcess(request);
  if (result.code === 0) return result;
  const command = [request.program, ...request.args].join(" ");
  throw new Error(`exit code ${result.code} of: ${command}\n${result.stdout}\n${result.stderr}`);
}
