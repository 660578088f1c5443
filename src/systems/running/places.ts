import os from "node:os";
import path from "node:path";
import { type Environment, readEnvironment, workingFolder } from "../../kernel/host.ts";

/** Where the hooks of one event are looked for. */
export interface DispatchPlaces {
  /** The folder of the project; absent: the folder in which this process works. */
  root?: string;
  /** The home folder of the user, whose hooks run in every project. Absent: that of the environment. Null: none of them runs. */
  home?: string | null;
  /** Absent: that of this process. */
  env?: Environment;
}

export function resolvePlaces({ root = workingFolder(), home, env = readEnvironment() }: DispatchPlaces): {
  root: string;
  home: string | null;
  env: Environment;
} {
  return { root: path.resolve(root), home: home === undefined ? env["HOME"] || os.homedir() : home, env };
}
