import fs from "node:fs";
import path from "node:path";
import { hasCode } from "../kernel/files.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { asRefused } from "./changes.ts";

export interface FileLocation {
  /** The folder that the path must stay in. */
  root: string;
  /** Absolute, below `root`. */
  file: string;
}

/**
 * The path to write for `file`: the file itself, or its target if it is a link, like a settings file in a dotfiles
 * folder. Refuses a file outside `root`, whether by its name or because it or a folder on the way is a link that leads
 * out or nowhere.
 */
export function requireInside({ root, file }: FileLocation): string {
  if (!isInside(root, file)) throw unsafe(`${clean(file)} is not below ${clean(root)}`);
  const existing = nearestExisting(file);
  const target = realPath(existing);
  const bound = realPath(nearestExisting(root));
  if (isInside(root, existing) && target !== bound && !isInside(bound, target)) {
    throw unsafe(`${clean(existing)} leads out of ${clean(root)}, to ${clean(target)}`);
  }
  if (existing !== file && !fs.statSync(target).isDirectory()) {
    throw new Problem("DRWN_TARGET_OCCUPIED", `${clean(existing)} should be a folder`, {
      details: [`needed for: ${clean(file)}`],
      hint: "move it away, then run the command again",
    });
  }
  return isLink(file) ? target : file;
}

/** Like `requireInside`, for files to take out. Undefined: the file is elsewhere, and stays. */
export function findInside(place: FileLocation): string | undefined {
  try {
    return requireInside(place);
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}

/**
 * The folder that an agent's variable names. The agent resolves a relative one from the folder in which a session
 * starts.
 */
export function namedFolder({ cwd, env }: Pick<Host, "cwd" | "env">, variable: string): string | undefined {
  const named = env[variable];
  return named ? path.resolve(cwd, named) : undefined;
}

/** Folders between `root` and the file that don't exist, deepest first, relative to `root`. */
export function missingFolders({ root, file }: FileLocation): string[] {
  const missing: string[] = [];
  for (let folder = path.dirname(file); isInside(root, folder) && !isThere(folder); folder = path.dirname(folder)) {
    missing.push(path.relative(root, folder));
  }
  return missing;
}

/** Those of the folders that drwn once created (relative to `root`) that hold `file`: absolute, deepest first. */
export function foldersAround({ root, file }: FileLocation, created: readonly string[]): string[] {
  const folders = created.map((folder) => path.join(root, folder));
  const around = folders.filter((folder) => isInside(root, folder) && isInside(folder, file));
  return around.sort((left, right) => right.length - left.length);
}

/** The same if `file` is gone and they aren't, as when the process that removed them was killed. */
export function emptyAround(place: FileLocation, created: readonly string[]): string[] {
  const folders = foldersAround(place, created);
  return folders.some(isEmptyFolder) ? folders : [];
}

export function isEmptyFolder(folder: string): boolean {
  return lstatIfThere(folder)?.isDirectory() === true && fs.readdirSync(folder).length === 0;
}

export function isLink(file: string): boolean {
  return lstatIfThere(file)?.isSymbolicLink() ?? false;
}

export function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== "" && relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/**
 * The folder out of which a user's own file in this folder must not lead: the home, so that it may link to a dotfiles
 * folder there, or the folder itself if it is elsewhere.
 */
export function rootAround(folder: string, home: string): string {
  return isInside(home, folder) ? home : folder;
}

/** Whether two names mean the same file, even one that doesn't exist yet. */
export function isSamePath(one: string, other: string): boolean {
  return one === other || (path.basename(one) === path.basename(other) && trueName(one) === trueName(other));
}

function trueName(file: string): string {
  const existing = nearestExisting(path.dirname(file));
  return path.join(realPath(existing), path.relative(existing, file));
}

function nearestExisting(file: string): string {
  let existing = file;
  while (!isThere(existing) && path.dirname(existing) !== existing) existing = path.dirname(existing);
  return existing;
}

function isThere(file: string): boolean {
  return lstatIfThere(file) !== undefined;
}

function lstatIfThere(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file);
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return undefined;
    throw asRefused(file, error);
  }
}

function realPath(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ELOOP")) {
      throw unsafe(`${clean(file)} is a link that leads nowhere`, error);
    }
    throw asRefused(file, error);
  }
}

function unsafe(message: string, cause?: unknown): Problem {
  return new Problem("DRWN_SETTINGS_UNSAFE", message, { hint: "replace the link with a file or folder", cause });
}
