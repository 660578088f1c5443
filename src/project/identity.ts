import fs from "node:fs";
import path from "node:path";
import type { ProjectIdentity } from "../contract/ledger.ts";
import { readIfThere } from "../kernel/read-file.ts";
import { projectFiles } from "./files.ts";

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
