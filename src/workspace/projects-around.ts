import path from "node:path";
import { layout } from "../contract/layout.ts";
import { GLOBAL_KEY } from "../contract/scope.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { readIfThere } from "../kernel/read-file.ts";
import { ancestors, findProjectRoot, gitCommonDirOf } from "../project/identity.ts";
import { lookAtProject, type OpenProject } from "./open-project.ts";

/** A project that the launcher knows. */
export interface MarkedProject {
  key: string;
  /** Its folder, as a session in a worktree sees it. */
  folder: string;
  /** null: its files are gone, or can't be read; its consents count all the same. */
  project: OpenProject | null;
}

type Found = Omit<MarkedProject, "project">;

/**
 * The projects around this one whose consents also count here, the nearest first. The launcher looks in the same
 * places: at the path of each folder above, and at its places in a repository and in its main worktree.
 */
export function projectsAround(host: Host, { root, key, isGlobal }: OpenProject): MarkedProject[] {
  if (isGlobal) return [];
  const { scope: _, ...own } = host;
  const found = findAround(host.drwnHome, root).filter((one) => one.key !== key);
  const distinct = found.filter((one, at) => found.findIndex((other) => other.key === one.key) === at);
  return distinct.map((one) => ({ ...one, project: openIfSound({ ...own, cwd: one.folder }) }));
}

function openIfSound(host: Host): OpenProject | null {
  try {
    return findProjectRoot(host.cwd) === host.cwd ? lookAtProject(host) : null;
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
}

function findAround(home: string, root: string): Found[] {
  const keyAt = (folder: string): string => {
    try {
      return readIfThere(layout.marker(home, folder))?.toString().trim() ?? "";
    } catch (error) {
      if (isProblem(error)) return "";
      throw error;
    }
  };
  const found: Found[] = [];
  const look = (place: string, folder: string): void => {
    const key = keyAt(place);
    if (key !== "" && key !== GLOBAL_KEY) found.push({ key, folder });
  };
  for (const folder of ancestors(root)) look(folder, folder);
  for (const top of ancestors(root)) {
    const common = gitCommonDirOf(top);
    if (common === undefined) continue;
    const main = path.basename(common) === ".git" ? path.dirname(common) : undefined;
    for (const folder of ancestors(root)) {
      const inside = path.relative(top, folder);
      if (inside.startsWith("..")) break;
      look(path.join(common, inside), folder);
      if (main !== undefined && main !== top) look(path.join(main, inside), folder);
    }
    if (main !== undefined && main !== top) for (const folder of ancestors(path.dirname(main))) look(folder, folder);
  }
  return found.sort((one, other) => other.folder.length - one.folder.length);
}
