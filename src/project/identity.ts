import fs from "node:fs";
import path from "node:path";
import type { ProjectIdentity } from "../contract/ledger.ts";
import { listFolder, readIfThere } from "../kernel/files.ts";
import { Problem } from "../kernel/problem.ts";

/** A `.git` file is one line with a path. */
const LARGEST_LINK = 65_536;

/** The nearest folder at or above `from` with a drwn project, as a real path. A folder that was removed is in none. */
export function findProjectRoot(from: string): string | undefined {
  if (fs.statSync(from, { throwIfNoEntry: false }) === undefined) return undefined;
  for (const folder of ancestors(fs.realpathSync(from))) {
    if (fs.existsSync(projectFiles.config(folder))) return folder;
  }
  return undefined;
}

/** What distinguishes projects on this machine. Worktrees of one repository share `gitCommonDir` and `gitPath`. */
export function identifyProject(root: string): ProjectIdentity {
  const real = fs.realpathSync(root);
  const { dev, ino } = fs.statSync(real, { bigint: true });
  const inode = `${dev}:${ino}`;
  for (const folder of ancestors(real)) {
    const gitCommonDir = gitCommonDirOf(folder);
    if (gitCommonDir !== undefined) return { path: real, gitCommonDir, gitPath: path.relative(folder, real), inode };
  }
  return { path: real, gitCommonDir: null, gitPath: null, inode };
}

/** `folder` is the top of a work tree: a `.git` folder, or a `.git` file that points to one (gitrepository-layout(5)). */
export function gitCommonDirOf(folder: string): string | undefined {
  const dotGit = path.join(folder, ".git");
  const stat = fs.statSync(dotGit, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return fs.realpathSync(dotGit);
  if (!stat?.isFile()) return undefined;
  const pointed = /^gitdir: (.+)$/mu.exec(readIfThere(dotGit, LARGEST_LINK)?.toString() ?? "")?.[1];
  if (pointed === undefined) return undefined;
  const gitDir = path.resolve(folder, pointed);
  const common = readIfThere(path.join(gitDir, "commondir"))?.toString().trim();
  const commonDir = common === undefined ? gitDir : path.resolve(gitDir, common);
  return fs.existsSync(commonDir) ? fs.realpathSync(commonDir) : undefined;
}

/** The folder and every one above it, the nearest first. */
export function* ancestors(folder: string): Generator<string> {
  for (let current = folder; ; current = path.dirname(current)) {
    yield current;
    if (current === path.dirname(current)) return;
  }
}

/** drwn's own files that a project commits. */
export const projectFiles = {
  folder: (root: string) => path.join(root, ".agents", "drwn"),
  config: (root: string) => path.join(root, ".agents", "drwn", "config.json"),
  lock: (root: string) => path.join(root, ".agents", "drwn", "card.lock"),
  vendor: (root: string) => path.join(root, ".agents", "drwn", "vendor"),
  trustRequest: (root: string) => path.join(root, ".agents", "drwn", "trust.json"),
} as const;

/**
 * Every folder in which this project may be: its own, and its place in each worktree of its git repository
 * (gitrepository-layout(5)). They share a ledger, but each has its own card.lock.
 */
export function worktreeFoldersOf({ path: own, gitCommonDir, gitPath }: ProjectIdentity): string[] {
  if (gitCommonDir === null || gitPath === null) return [own];
  const linked = path.join(gitCommonDir, "worktrees");
  const tops = listFolder(linked).flatMap((name) => {
    const dotGit = readIfThere(path.join(linked, name, "gitdir"))
      ?.toString()
      .trim();
    return dotGit === undefined || dotGit === "" ? [] : [path.dirname(path.resolve(linked, name, dotGit))];
  });
  const main = path.basename(gitCommonDir) === ".git" ? [path.dirname(gitCommonDir)] : [];
  return [...new Set([own, ...[...main, ...tops].map((top) => path.join(top, gitPath))])];
}

/** Refuses a project whose files of drwn's are links that lead out of it: they are somebody else's files. */
export function requireInPlace(root: string): void {
  for (const placeOf of [projectFiles.folder, projectFiles.config, projectFiles.lock, projectFiles.trustRequest]) {
    const place = placeOf(root);
    const target = realPathOf(place);
    if (target === undefined || target.startsWith(`${root}${path.sep}`)) continue;
    throw new Problem("DRWN_SETTINGS_UNSAFE", `${place} is a link that leads out of the project`, {
      details: [`to: ${target}`],
      hint: `remove the link; a project's own files belong in ${projectFiles.folder(root)}`,
    });
  }
}

/** Undefined if there is nothing, or a link that leads nowhere. */
function realPathOf(place: string): string | undefined {
  try {
    return fs.realpathSync(place);
  } catch {
    return undefined;
  }
}
