import { spawnSync } from "node:child_process";

export interface ProgramRun {
  program: string;
  arguments: readonly string[];
  /** What the program reads. */
  input: string;
  /** Milliseconds until it is stopped. */
  left: number;
}

export type RunProgram = (run: ProgramRun) => string;

const MOST_OUTPUT = 4 * 1024 * 1024;

/** What the program prints. Throws when it is not there, fails, is late or prints without end. */
export const runProgram: RunProgram | undefined = ({ program, arguments: given, input, left }) => {
  const { CLAUDECODE: _, ...env } = process.env;
  const { error, status, signal, stdout, stderr } = spawnSync(program, given, {
    env,
    input,
    timeout: Math.ceil(left),
    killSignal: "SIGKILL",
    maxBuffer: MOST_OUTPUT,
    encoding: "utf8",
  });
  const code = error !== undefined && "code" in error ? error.code : undefined;
  if (code === "ENOENT") throw new Error(`\`${program}\` was not found`);
  if (code === "ETIMEDOUT") throw new Error(`\`${program}\` did not finish in time`);
  if (code === "ENOBUFS") throw new Error(`\`${program}\` printed more than ${MOST_OUTPUT} bytes`);
  // A program need not read what it is given.
  if (error !== undefined && code !== "EPIPE") throw new Error(`\`${program}\` cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`\`${program}\` ended with ${status ?? signal}${said(stderr)}`);
  return stdout;
};

/** A variable that the policy may see. */
export function readVariable(name: string): string | undefined {
  return process.env[name];
}

/** All that the policy may see, for a program that it starts. */
export function readVariables(): Record<string, string | undefined> {
  return { ...process.env };
}

/** The folder in which the session was started, wherever the agent went. */
export function readSessionFolder(): string | undefined {
  return process.cwd();
}

function said(stderr: string): string {
  const [line = ""] = stderr.trim().split("\n");
  return line === "" ? "" : `: ${line.slice(0, 200)}`;
}
