import os from "node:os";
import path from "node:path";
import { type Environment, readEnvironment, workingFolder } from "../../kernel/host.ts";

/** Where to look for the hooks of one event. */
export interface DispatchPaths {
  /** The project's folder. Absent: the folder in which this process works. */
  root?: string;
  /**
   * The home folder of the user, whose hooks run in every project. Absent: the home of the environment. Null: no user
   * hooks run.
   */
  home?: string | null;
  /** Absent: the environment of this process. */
  env?: Environment;
}

export function resolvePaths({ root = workingFolder(), home, env = readEnvironment() }: DispatchPaths): {
  root: string;
  home: string | null;
  env: Environment;
} {
  return { root: path.resolve(root), home: home === undefined ? env["HOME"] || os.homedir() : home, env };
}
