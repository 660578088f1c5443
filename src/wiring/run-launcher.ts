import { spawn } from "node:child_process";
import { trace, traceProcess } from "../kernel/trace.ts";

const PATIENCE_MS = 65_000;
const LARGEST_EVENT = 64 * 1024 * 1024;

export interface LauncherRun {
  program: string;
  args: readonly string[];
  /** The folder of the session. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  event: Buffer;
}

export interface LauncherResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** What the hook process tells a listening command: only `explain` and `hook run --verbose` listen. */
  line: string;
}

/** Runs the launcher as an agent does, and collects what it says. */
export function runLauncher({ program, args, cwd, env, event }: LauncherRun): Promise<LauncherResult> {
  return new Promise((resolve, reject) => {
    const ended = traceProcess(program, args);
    const child = spawn(program, args, {
      cwd,
      env,
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
      stdio: ["pipe", "pipe", "pipe", "ignore", "pipe"],
    });
    const outputs = [child.stdout, child.stderr, child.stdio[4]].map(collect);
    child.on("error", reject);
    child.on("close", (exitCode) => {
      ended(exitCode);
      const [stdout = "", stderr = "", line = ""] = outputs.map(({ chunks }) => Buffer.concat(chunks).toString("utf8"));
      resolve({ exitCode, stdout, stderr, line });
    });
    // The hook may end without reading all of it.
    child.stdin?.on("error", () => {});
    child.stdin?.end(event);
    trace("write", () => `to the hook: an event of ${event.length} bytes, for a session in ${cwd}`);
  });
}

function collect(stream: unknown): { chunks: Buffer[] } {
  const chunks: Buffer[] = [];
  let total = 0;
  if (stream !== null && typeof stream === "object" && "on" in stream && typeof stream.on === "function") {
    stream.on("data", (chunk: Buffer) => {
      total += chunk.length;
      if (total <= LARGEST_EVENT) chunks.push(chunk);
    });
  }
  return { chunks };
}
