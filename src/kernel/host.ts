import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { isatty } from "node:tty";
import { Problem } from "./problem.ts";

/** Everything about the machine and the time that an operation may depend on. */
export interface Host {
  /** Absolute, as the shell gave it. */
  readonly cwd: string;
  /** The user's home folder. */
  readonly home: string;
  /** Where drwn keeps its state: `$DRWN_HOME` or `~/.agents/drwn`. */
  readonly drwnHome: string;
  readonly env: Environment;
  /**
   * What a command is about. Absent: the project around `cwd`; `global`: every folder of this user; `system`: every
   * user.
   */
  readonly scope?: "global" | "system";
  /**
   * Where the hook that root set up keeps its notes about this user's sessions; absent: in `drwnHome`, like everything
   * else.
   */
  readonly notes?: string;
  readonly now: () => Date;
  /** The Node that runs drwn, and that the hook will be started with. */
  readonly nodePath: string;
  /** A person can be asked, because stdin and stderr are a terminal. Absent: nobody can. */
  readonly isAtTerminal?: boolean;
  /** Called with what long work is doing; the CLI may show it. "": the work has paused, for a question or a line. */
  readonly progress: (doing: string) => void;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** From now on libraries and started programs see only these variables. */
export function keepOnly(env: Environment): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** The environment before there is a host, for printing the failure to make one. */
export function readEnvironment(): Environment {
  return process.env;
}

/**
 * Where drwn keeps its state, for code that must work even if no host can be made; undefined: there is no such place.
 */
export function stateFolder({ HOME: home, DRWN_HOME: asked }: Environment): string | undefined {
  if (asked) return path.isAbsolute(asked) ? asked : undefined;
  return home && path.isAbsolute(home) ? path.join(home, ".agents", "drwn") : undefined;
}

/** This process's working folder, for libraries that know no host. */
export function workingFolder(): string {
  return process.cwd();
}

function requireWorkingFolder(): string {
  let folder = "";
  try {
    folder = process.cwd();
    fs.statSync(folder);
    return folder;
  } catch (error) {
    // Node returns a different name if the name isn't UTF-8.
    const why = folder === "" ? "is gone" : `cannot be found as ${folder}`;
    throw new Problem("DRWN_FOLDER_INVALID", `the folder in which drwn was started ${why}`, {
      hint: "go to a folder that exists and whose path is UTF-8 text",
      cause: error,
    });
  }
}

/** The real machine. The only place of the CLI wing that reads the environment, the clock or the working folder. */
export function realHost(progress: (doing: string) => void = () => {}): Host {
  const { env } = process;
  const home = env["HOME"] || os.homedir();
  if (!path.isAbsolute(home)) {
    throw new Problem("DRWN_HOME_INVALID", `HOME is not an absolute path: ${home}`, {
      hint: "set HOME to your home folder",
    });
  }
  const asked = env["DRWN_HOME"];
  if (asked !== undefined && asked !== "" && !path.isAbsolute(asked)) {
    throw new Problem("DRWN_HOME_INVALID", `DRWN_HOME is not an absolute path: ${asked}`, { hint: "unset DRWN_HOME" });
  }
  return {
    cwd: requireWorkingFolder(),
    home,
    drwnHome: asked ? path.normalize(asked).replace(/(?<=.)\/+$/u, "") : path.join(home, ".agents", "drwn"),
    env,
    now: () => new Date(),
    nodePath: process.execPath,
    get isAtTerminal() {
      return isTerminal(0) && isTerminal(2);
    },
    progress,
  };
}

/** Whether it is a terminal, at which a person may sit. */
export function isTerminal(fd: number): boolean {
  // `isatty` makes Node load its sockets, which takes longer than most commands, so only possible terminals are asked
  // about.
  return mayBeTerminal(fd) && isatty(fd);
}

function mayBeTerminal(fd: number): boolean {
  try {
    return process.platform === "win32" || fs.fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}
