import fs from "node:fs";
import path from "node:path";
import { writeAtomic } from "../../kernel/atomic.ts";
import { MANIFEST_FILE, parseManifest } from "../manifest.ts";
import { readManifestFile } from "./source.ts";

/** One change to a card source. */
export interface SourceChange {
  action: string;
  /** Absolute. */
  path: string;
}

/** A change, and the function that makes it. */
export interface PlannedChange extends SourceChange {
  carryOut: () => void;
}

export interface ChangeOptions {
  dryRun?: boolean;
}

/** Carries the changes out in order, unless it is a dry run; lists them in either case. */
export function carryOut(changes: readonly PlannedChange[], { dryRun = false }: ChangeOptions): SourceChange[] {
  if (!dryRun) for (const change of changes) change.carryOut();
  return changes.map(({ action, path: file }) => ({ action, path: file }));
}

/** Edits the manifest's text, which must be valid before and after. No change if the text stays the same. */
export function planManifestEdit(dir: string, edit: (text: string) => string): PlannedChange[] {
  const file = path.join(dir, MANIFEST_FILE);
  const bytes = readManifestFile(dir);
  parseManifest(bytes, { file });
  const text = bytes.toString("utf8");
  const edited = edit(text);
  parseManifest(edited, { file });
  if (edited === text) return [];
  return [{ action: "update-manifest", path: file, carryOut: () => writeAtomic(file, edited, 0o644) }];
}

export function planSourceFile(action: string, file: string, content: string | Uint8Array): PlannedChange {
  return { action, path: file, carryOut: () => writeAtomic(file, content, 0o644) };
}

/** Removes a folder of the source with everything in it. */
export function planFolderRemoval(action: string, folder: string): PlannedChange[] {
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return [{ action, path: folder, carryOut: () => fs.rmSync(folder, { recursive: true, force: true }) }];
}
