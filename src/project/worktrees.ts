import path from "node:path";
import type { ProjectIdentity } from "../contract/ledger.ts";
import { listFolder } from "../kernel/atomic.ts";
import { readIfThere } from "../kernel/read-file.ts";

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
