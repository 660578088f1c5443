import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Problem } from "./problem.ts";
import { isTerminal } from "./terminal.ts";

/** Everything about the machine and the moment that an operation may depend on. */
export interface Host {
  /** Absolute, as the shell gave it. */
  readonly cwd: string;
  /** The user's home folder. */
  readonly home: string;
  /** Where drwn keeps its state: `$DRWN_HOME`, else `~/.agents/drwn`. */
  readonly drwnHome: string;
  readonly env: Environment;
  /** Whom a command is about: absent, the project around `cwd`; `global`, every folder of this user; `system`, every user. */
  readonly scope?: "global" | "system";
  /** Where the hook of what root wants notes what this user's sessions ask; absent: in `drwnHome`, with all the rest. */
  readonly notes?: string;
  /** Set where files for every user of another machine are made, and this one stays as it is. */
  readonly image?: Image;
  readonly now: () => Date;
  /** The Node that runs drwn, and that the hook will be started with. */
  readonly nodePath: string;
  /** A person can be asked: input and talk are a terminal. Absent: nobody can. */
  readonly isAtTerminal?: boolean;
  /** Called with what a long piece of work is doing; silent unless the CLI shows it. "": it has paused, for a question or a line. */
  readonly progress: (doing: string) => void;
}

export interface Image {
  /** What becomes `/` there; absolute. */
  readonly folder: string;
  /** The Node that starts the hook there; undefined: nobody has said it yet. */
  readonly node: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** From here on libraries and programs that are started find nothing else in the environment. */
export function keepOnly(env: Environment): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** For what has to be known before there is a host: how to print its failure. */
export function readEnvironment(): Environment {
  return process.env;
}

/** Where drwn keeps its state, for what has to work where a host cannot be made; undefined: nowhere that it could. */
export function stateFolder({ HOME: home, DRWN_HOME: asked }: Environment): string | undefined {
  if (asked) return path.isAbsolute(asked) ? asked : undefined;
  return home && path.isAbsolute(home) ? path.join(home, ".agents", "drwn") : undefined;
}

/** For libraries that know no host: the folder in which this process works. */
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
    // A name that isn't text comes out of Node as another one.
    const why = folder === "" ? "is gone" : `cannot be found as ${folder}`;
    throw new Problem("DRWN_FOLDER_INVALID", `the folder in which drwn was started ${why}`, {
      hint: "go to a folder that is there, and whose path is UTF-8 text",
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
