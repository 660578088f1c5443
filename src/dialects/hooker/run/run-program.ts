import { openCappedStderr } from "../../../hook-base/write.ts";
import type { HookerCall } from "./call.ts";

export interface ProgramResult {
  stdout: string;
  stderr: string;
  /** Null: it didn't end by itself. */
  status: number | null;
  /** Why it gave no result. */
  failure: "missing" | string | null;
}

export interface HookerProgram {
  program: string;
  arguments?: readonly string[];
  cwd?: string;
  input: string;
  /** Whether its stderr goes to ours, up to a limit. */
  isStderrShown?: boolean;
}

const MOST_OUTPUT = 16 * 1024 * 1024;

/** Runs a program until it ends or the time is over. */
export function runHookerProgram(
  { program, arguments: given = [], cwd, input, isStderrShown = false }: HookerProgram,
  call: HookerCall,
): ProgramResult {
  const { spawnSync }: typeof import("node:child_process") = require("node:child_process");
  const timeout = call.left();
  const { error, status, signal, stdout, stderr } = spawnSync(program, given, {
    ...(cwd === undefined ? {} : { cwd }),
    env: call.env,
    input,
    timeout,
    killSignal: "SIGKILL",
    maxBuffer: MOST_OUTPUT,
    encoding: "utf8",
  });
  const texts = { stdout: stdout ?? "", stderr: stderr ?? "" };
  if (isStderrShown) openCappedStderr()(texts.stderr);
  const code = error !== undefined && "code" in error ? error.code : undefined;
  // A program doesn't have to read its input.
  if (error === undefined || (code === "EPIPE" && status !== null)) {
    return { ...texts, status, failure: status === null ? `ended by ${signal}` : null };
  }
  return { ...texts, status: null, failure: code === "ENOENT" ? "missing" : explain(code, error.message) };
}

function explain(code: unknown, message: string): string {
  if (code === "ETIMEDOUT") return "it did not finish in time";
  if (code === "ENOBUFS") return `it printed more than ${MOST_OUTPUT} bytes`;
  return code === "EACCES" ? "Permission denied" : message;
}

// Words that aren't programs, and characters that only a shell understands, by Ruby's rules.
const FOR_SHELL = /[*?{}[\]<>()~&|\\$;'`"\n#=%]/u;
const SHELL_WORDS = new Set(
  (
    "BEGIN END alias bg break builtin case cd command continue declare dirs disown do done echo elif else esac eval exec exit " +
    "export fc fg fi for function getopts hash help history if in jobs let local logout popd pushd pwd read readonly return " +
    "select set shift shopt source suspend test then time times trap type typeset ulimit umask unalias unset until wait while " +
    ". : !"
  ).split(" "),
);

/** A command in the form in which Ruby starts it: with a shell if it needs one. */
export function commandOf(text: string): { program: string; arguments: string[] } {
  const words = text.split(/[ \t\n\r\f\v]+/u).filter((word) => word !== "");
  const [program = "", ...given] = words;
  if (program === "" || FOR_SHELL.test(text) || SHELL_WORDS.has(program)) {
    return { program: "/bin/sh", arguments: ["-c", text] };
  }
  return { program, arguments: given };
}
