import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

export interface Command {
  /** A program or, if `shell` is given, the text of a script. */
  command: string;
  args?: readonly string[];
  /** The shell that runs `command` as a script: `bash`. Absent: the program is started directly. */
  shell?: string;
  /** Its whole standard input. */
  input: string;
  /** Its whole environment, plus `SHLVL` if that is missing. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
  /** It stays in our process group, because the process that supervises this one ends the whole group. */
  isSupervised?: boolean;
  timeoutMs: number;
  /** For standard output and standard error each. Everything after that is read and dropped. */
  maxOutputBytes: number;
}

export type CommandResult =
  | { kind: "exited"; code: number | null; signal: string | null; stdout: string; stderr: string; truncated: boolean }
  | { kind: "timeout"; stdout: string; stderr: string }
  | { kind: "unstartable"; reason: string };

/**
 * Runs a command until its output ends. The command leads its own process group, which is killed at the deadline; the
 * answer does not wait for processes that left the group. A command need not read its input.
 */
export function runCommand(command: Command): Promise<CommandResult> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = start(command);
    } catch (error) {
      resolve({ kind: "unstartable", reason: explain(error) });
      return;
    }
    const stdout = collect(child.stdout, command.maxOutputBytes);
    const stderr = collect(child.stderr, command.maxOutputBytes);
    const texts = () => ({ stdout: stdout.text(), stderr: stderr.text() });
    const deadline = setTimeout(() => {
      if (command.isSupervised === true) child.kill("SIGKILL");
      else killGroup(child);
      abandon(child);
      resolve({ kind: "timeout", ...texts() });
    }, command.timeoutMs);
    const end = (result: CommandResult) => {
      clearTimeout(deadline);
      resolve(result);
    };
    child.on("error", (error) => end({ kind: "unstartable", reason: explain(error) }));
    child.on("close", (code, signal) =>
      end({ kind: "exited", code, signal, ...texts(), truncated: stdout.isCut() || stderr.isCut() }),
    );
    // A command that closes its input early has read enough.
    child.stdin?.on("error", () => {});
    child.stdin?.end(command.input);
  });
}

function start({ command, args = [], shell, env, cwd, isSupervised = false }: Command): ChildProcess {
  const options: SpawnOptions = {
    // Node's pipes are sockets. A first-level bash takes a socket for a remote connection, and runs ~/.bashrc first.
    env: { SHLVL: "1", ...env },
    detached: !isSupervised,
    stdio: "pipe",
    ...(cwd === undefined ? {} : { cwd }),
  };
  if (shell === undefined) return spawn(command, args, options);
  return spawn(shell, ["-c", command, ...(args.length === 0 ? [] : [shell, ...args])], options);
}

function collect(stream: ChildProcess["stdout"], most: number): { text: () => string; isCut: () => boolean } {
  const chunks: Buffer[] = [];
  let room = most;
  let isCut = false;
  stream?.on("data", (chunk: Buffer) => {
    if (chunk.length > room) isCut = true;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room = Math.max(0, room - chunk.length);
  });
  return { text: () => Buffer.concat(chunks).toString("utf8"), isCut: () => isCut };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // The group has ended already. Only processes that left it still hold the output.
    if (!isCode(error, "ESRCH")) throw error;
  }
}

/** Abandons a child and its streams, so that neither it nor others who hold its output keep us waiting. */
function abandon(child: ChildProcess): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  child.unref();
}

function explain(error: unknown): string {
  if (isCode(error, "ENOENT")) return "there is no such program or folder";
  if (isCode(error, "EACCES")) return "it is not executable";
  if (isCode(error, "E2BIG")) return "its arguments and variables are larger than the system allows";
  if (isCode(error, "ENOEXEC")) return "it isn't a program";
  return error instanceof Error ? error.message : "it cannot be started";
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
