import { spawn } from "node:child_process";

const LEFT_MS = 3_000;

export interface ProcessRequest {
  program: string;
  args: readonly string[];
  cwd: string;
  /** Exactly this and PATH, so that the logins of the machine's user stay out of reach. */
  env: Readonly<Record<string, string>>;
  timeoutMs?: number;
  /** For a program that waits for a person: once it has said this and is left alone for a while, it is ended. */
  leaveAfter?: string;
}

export interface ProcessResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. After the timeout it kills the whole process group, which is an error. */
export function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { program, args, cwd, env, timeoutMs = 60_000, leaveAfter } = request;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { PATH: process.env["PATH"], ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = { stdout: "", stderr: "" };
    let isLate = false;
    const end = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, timeoutMs);
    let leaving: NodeJS.Timeout | undefined;
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (chunk) => {
        said[name] += chunk;
        if (leaveAfter !== undefined && said[name].includes(leaveAfter)) leaving ??= setTimeout(end, LEFT_MS);
      });
    }
    const stop = () => {
      for (const one of [timer, leaving]) clearTimeout(one);
    };
    child.on("error", (error) => {
      stop();
      reject(error);
    });
    child.on("close", (code) => {
      stop();
      const { stdout, stderr } = said;
      if (isLate) reject(new Error(`${program} did not end within ${timeoutMs} ms\n${stdout}\n${stderr}`));
      else resolve({ code, stdout, stderr });
    });
  });
}

/** Like `runProcess`, but any exit code except 0 is an error that shows what the program said. */
export async function runToSuccess(request: ProcessRequest): Promise<ProcessResult> {
  const result = await runProcess(request);
  if (result.code === 0) return result;
  const command = [request.program, ...request.args].join(" ");
  throw new Error(`exit code ${result.code} of: ${command}\n${result.stdout}\n${result.stderr}`);
}
