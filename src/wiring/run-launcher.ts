import { spawn } from "node:child_process";
import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { trace, traceProcess } from "../kernel/trace.ts";

const PATIENCE_MS = 65_000;
const LARGEST_EVENT = 64 * 1024 * 1024;

export interface LauncherRun {
  /** The words after the launcher, or the whole command from an agent's settings. */
  started: { words: readonly string[] } | { command: string };
  /** The folder of the session. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  event: Buffer;
}

export interface LauncherEnd {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** What the hook process tells a listening command: only `hook explain` and `hook run --verbose` listen. */
  line: string;
}

/** Runs the launcher as an agent does, and collects what it says. */
export function runLauncher({ drwnHome }: Host, { started, cwd, env, event }: LauncherRun): Promise<LauncherEnd> {
  return new Promise((resolve, reject) => {
    const program = "command" in started ? "/bin/sh" : layout.launcher(drwnHome);
    const words = "command" in started ? ["-c", started.command] : started.words;
    const ended = traceProcess(program, words);
    const child = spawn(program, words, {
      cwd,
      env,
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
      stdio: ["pipe", "pipe", "pipe", "ignore", "pipe"],
    });
    const heard = [child.stdout, child.stderr, child.stdio[4]].map(collect);
    child.on("error", reject);
    child.on("close", (exitCode) => {
      ended(exitCode);
      const [stdout = "", stderr = "", line = ""] = heard.map(({ chunks }) => Buffer.concat(chunks).toString("utf8"));
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
