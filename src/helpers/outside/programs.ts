import { spawnSync } from "node:child_process";

export interface ProgramRun {
  program: string;
  arguments: readonly string[];
  /** The program's standard input. */
  input: string;
  /** After how many milliseconds it is stopped. */
  left: number;
}

export type RunProgram = (run: ProgramRun) => string;

const MOST_OUTPUT = 4 * 1024 * 1024;

/** Runs a program and returns its output. Throws if it is missing, fails, takes too long or prints too much. */
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
  // A program need not read its input.
  if (error !== undefined && code !== "EPIPE") throw new Error(`\`${program}\` cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`\`${program}\` ended with ${status ?? signal}${said(stderr)}`);
  return stdout;
};

/** An environment variable, if the policy may see it. */
export function readVariable(name: string): string | undefined {
  return process.env[name];
}

/** All environment variables that the policy may see, for a program that it starts. */
export function readVariables(): Record<string, string | undefined> {
  return { ...process.env };
}

/** The folder in which the session was started, even if the agent has gone elsewhere. */
export function readSessionFolder(): string | undefined {
  return process.cwd();
}

function said(stderr: string): string {
  const [line = ""] = stderr.trim().split("\n");
  return line === "" ? "" : `: ${line.slice(0, 200)}`;
}
