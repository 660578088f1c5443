import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { layout, MARKER_NAME } from "../contract/layout.ts";
import type { ProjectIdentity } from "../contract/ledger.ts";
import { GLOBAL_KEY } from "../contract/scopes.ts";
import { readIfThere, writeAtomic } from "../kernel/files.ts";

const KEY = /^[0-9a-f]{64}$/u;

/**
 * The key of a project's ledger and state. If there is a marker, it decides, as it does for the launcher: first the one
 * at the folder's own path, then the one at its place in the git repository, which worktrees share, then the one at its
 * place in the main worktree. Otherwise the key follows from the path.
 */
export function findProjectKey(home: string, identity: ProjectIdentity): string {
  if (isOfEveryFolder(home, identity)) return GLOBAL_KEY;
  for (const file of lookupMarkers(home, identity)) {
    const key = readIfThere(file)?.toString().trim();
    if (key !== undefined && KEY.test(key) && key !== GLOBAL_KEY) return key;
  }
  return createHash("sha256").update(`drwn-project\0${identity.path}`).digest("hex");
}

/** Consents for every folder have their own folder in DRWN_HOME, which identifies them. */
function isOfEveryFolder(home: string, { path: folder }: ProjectIdentity): boolean {
  return folder === layout.global(home);
}

/** From then on the launcher finds the project, from any folder inside it and from every worktree. */
export function writeMarkers(home: string, identity: ProjectIdentity, key: string): void {
  for (const { file, content, mode } of editMarkers(home, identity, key)) {
    if (readIfThere(file)?.toString() !== content) writeAtomic(file, content, mode);
  }
}

export function editMarkers(
  home: string,
  identity: ProjectIdentity,
  key: string,
): { file: string; content: string; mode: number }[] {
  return recordsOf(home, identity, key).map(({ file, content }) => ({ file, content, mode: 0o600 }));
}

/** Every file by which the launcher finds the project, with what is in it. */
export function recordsOf(home: string, identity: ProjectIdentity, key: string): { file: string; content: string }[] {
  const markers = markersOf(home, identity)
    .filter((file) => key !== GLOBAL_KEY || !isAnothers(file))
    .map((file) => ({ file, content: `${key}\n` }));
  const place = inodeRecordOf(home, identity);
  return place === null ? markers : [...markers, { file: place, content: `${key}\n${identity.path}\n` }];
}

/**
 * Those that the launcher would miss. It finds the worktrees of a repository by the project's path in the main one, and a
 * worktree by its place in the repository: then what a person does with git after the consent needs no `write`.
 */
export function missedRecords(home: string, identity: ProjectIdentity, key: string): ReturnType<typeof recordsOf> {
  const records = recordsOf(home, identity, key);
  const [own, inGit] = markersOf(home, identity);
  const main = mainMarker(home, identity);
  if (main === own) return records.filter(({ file }) => file !== inGit || fs.existsSync(file));
  const leads = (file: string | null | undefined) => file != null && readIfThere(file)?.toString().trim() === key;
  return leads(inGit) || leads(main) ? [] : records;
}

/** Whether it belongs to a project that is the whole disk: its marker is where the one for every folder would be. */
function isAnothers(marker: string): boolean {
  const key = readIfThere(marker)?.toString().trim() ?? "";
  return KEY.test(key) && key !== GLOBAL_KEY;
}

/** The file by which the launcher recognises the folder when its path doesn't tell. */
export function inodeRecordOf(home: string, { inode }: ProjectIdentity): string | null {
  const number = inode?.split(":")[1];
  return number === undefined ? null : layout.inodeRecord(home, number);
}

/** The key of the project that the launcher finds by path for a session in this folder; undefined: there is none. */
export function findMarkedKey(home: string, folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    const key = readMarker(home, at);
    if (key !== undefined || at === path.dirname(at)) return key;
  }
}

function readMarker(home: string, folder: string): string | undefined {
  return readIfThere(layout.marker(home, folder))?.toString().trim();
}

/** The keys of all projects that the launcher finds on this machine, sorted. */
export function listMarkedKeys(home: string): string[] {
  return [...new Set(listMarkers(home).map(({ key }) => key))].sort();
}

/** Every folder that the launcher takes for a project, with the key that it finds there. */
export function listMarkers(home: string): { key: string; folder: string }[] {
  const roots = layout.roots(home);
  const entries = fs.existsSync(roots) ? fs.readdirSync(roots, { recursive: true, withFileTypes: true }) : [];
  const projects = entries
    .filter((entry) => entry.isFile() && entry.name === MARKER_NAME)
    .map(({ parentPath, name }) => ({
      key: readIfThere(path.join(parentPath, name))?.toString().trim() ?? "",
      folder: path.join("/", path.relative(roots, parentPath)),
    }))
    .filter(({ key }) => KEY.test(key) && key !== GLOBAL_KEY);
  const isOfAll = globalMarkers(home).some((file) => readIfThere(file)?.toString().trim() === GLOBAL_KEY);
  return isOfAll ? [...projects, { key: GLOBAL_KEY, folder: layout.global(home) }] : projects;
}

/** Whether the launcher finds this project: then its hook runs, and blocks if there is no ledger. */
export function isMarked(home: string, identity: ProjectIdentity): boolean {
  const isGlobal = isOfEveryFolder(home, identity);
  const isOwn = (marker: string) =>
    isGlobal ? !isAnothers(marker) : readIfThere(marker)?.toString().trim() !== GLOBAL_KEY;
  return lookupMarkers(home, identity).some((marker) => fs.existsSync(marker) && isOwn(marker));
}

/** The files by which the launcher finds the project: at its own path, and at its place in the git repository. */
export function markersOf(home: string, identity: ProjectIdentity): string[] {
  if (isOfEveryFolder(home, identity)) return globalMarkers(home);
  const { path: real, gitCommonDir, gitPath } = identity;
  const own = layout.marker(home, real);
  if (gitCommonDir === null || gitPath === null) return [own];
  return [own, layout.marker(home, path.join(gitCommonDir, gitPath))];
}

/**
 * The files in which the launcher looks for the project: also at its place in the main worktree, where it may have got
 * its consent before it was a repository.
 */
export function lookupMarkers(home: string, identity: ProjectIdentity): string[] {
  const inMain = mainMarker(home, identity);
  return [...new Set([...markersOf(home, identity), ...(inMain === null ? [] : [inMain])])];
}

/** The marker at the project's place in the main worktree; null: there is none, or nobody can tell where it is. */
export function mainMarker(home: string, { gitCommonDir, gitPath }: ProjectIdentity): string | null {
  if (gitCommonDir === null || gitPath === null || path.basename(gitCommonDir) !== ".git") return null;
  return layout.marker(home, path.join(path.dirname(gitCommonDir), gitPath));
}

/** Either is enough for the launcher; a project that is the whole disk uses the place of the first. */
function globalMarkers(home: string): string[] {
  return [layout.marker(home, "/"), layout.globalRecord(home)];
}
