import path from "node:path";
import { layout } from "../contract/layout.ts";
import { GLOBAL_KEY } from "../contract/scope.ts";
import { isProblem } from "../kernel/problem.ts";
import { readIfThere } from "../kernel/read-file.ts";
import { ancestors, gitCommonDirOf } from "../project/identity.ts";

/** A project that the launcher finds for a session. */
export interface FoundProject {
  key: string;
  /** Its folder, as a session in a worktree sees it. */
  folder: string;
}

/**
 * The projects whose consents count in this folder, the nearest first. The launcher looks in the same places: at the
 * path of each folder above, and at its places in a repository and in its main worktree. Their files needn't be there.
 */
export function findEnclosing(home: string, from: string): FoundProject[] {
  const keyAt = (folder: string): string => {
    try {
      return readIfThere(layout.marker(home, folder))?.toString().trim() ?? "";
    } catch (error) {
      if (isProblem(error)) return "";
      throw error;
    }
  };
  const found: FoundProject[] = [];
  const look = (place: string, folder: string): void => {
    const key = keyAt(place);
    if (key !== "" && key !== GLOBAL_KEY) found.push({ key, folder });
  };
  for (const folder of ancestors(from)) look(folder, folder);
  for (const top of ancestors(from)) {
    const common = gitCommonDirOf(top);
    if (common === undefined) continue;
    const main = path.basename(common) === ".git" ? path.dirname(common) : undefined;
    for (const folder of ancestors(from)) {
      if (folder.length < top.length) break;
      const inside = path.relative(top, folder);
      look(path.join(common, inside), folder);
      if (main !== undefined && main !== top) look(path.join(main, inside), folder);
    }
    if (main !== undefined && main !== top) for (const folder of ancestors(path.dirname(main))) look(folder, folder);
  }
  return found.sort((one, other) => other.folder.length - one.folder.length);
}
