import fs from "node:fs";
import path from "node:path";

/** Whether the path leads to a file that this user may run. */
export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Where the system looks for programs if PATH isn't set. */
const DEFAULT_FOLDERS = "/usr/bin:/bin";

/** Whether a folder of this PATH has the program. */
export function isOnPath(program: string, search?: string): boolean {
  return findProgram(program, search) !== undefined;
}

/** The first such program on this PATH. A relative folder would depend on where drwn is started. */
export function findProgram(program: string, search: string = DEFAULT_FOLDERS): string | undefined {
  const folders = search.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, program)).find(isProgram);
}

/** Kills a program that was started as the leader of a group, with what it started: npm's launchers start the program as a child. */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
