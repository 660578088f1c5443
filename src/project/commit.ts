import fs from "node:fs";
import path from "node:path";
import { digestOf } from "../kernel/digest.ts";
import { dropStaged, putStaged, readIfThere, type StagedFile, stageFile, writeAtomic } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readFormatIfThere } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";

/** The next content of one file. */
export interface FileEdit {
  /** Absolute. */
  file: string;
  content: string;
  /** For a new file. */
  mode: number;
  /** Called when everything is written but nothing has changed yet: if it fails, nothing changes. */
  note?: () => void;
}

/** Enough for the ledger and the files of a project, each as large as it may be. */
const LIMITS = { maximumBytes: 64 * 1024 * 1024 };

const schema = z.strictObject({
  version: z.literal(1),
  edits: z.array(
    z.strictObject({
      file: z.string().refine((file) => path.isAbsolute(file)),
      /** Digest of the file that it replaces; null: the file is new. */
      before: z.string().nullable(),
      content: z.string(),
      mode: z.int().nonnegative(),
    }),
  ),
});

/**
 * Makes all the edits or none, even if the process is killed. It writes all content before anything changes; then the
 * intent appears, and from then on the next process finishes what it says. A single edit needs no intent. The caller
 * holds the project's lock.
 */
export function commitFiles(intent: string, edits: readonly FileEdit[]): void {
  const changing = edits.filter(({ file, content }) => readIfThere(file)?.toString() !== content);
  const isAlone = changing.length < 2;
  const all = isAlone ? changing : [{ file: intent, content: printIntent(changing), mode: 0o600 }, ...changing];
  const staged: StagedFile[] = [];
  try {
    for (const { file, content, mode } of all) staged.push(stageFile(file, content, mode));
    for (const { note } of changing) note?.();
    for (const one of staged) putStaged(one);
  } catch (error) {
    for (const one of staged) dropStaged(one);
    throw error;
  }
  if (!isAlone) fs.rmSync(intent);
}

function printIntent(edits: readonly FileEdit[]): string {
  const intended = edits.map(({ file, content, mode }) => ({ file, before: digestIfThere(file), content, mode }));
  return formatJson({ version: 1, edits: intended });
}

export function hasIntent(intent: string): boolean {
  return fs.existsSync(intent);
}

/**
 * Finishes what a killed process was about to do: gives every unchanged file its intended content. Leaves alone a file
 * that somebody has changed since. The caller holds the project's lock.
 */
export function finishIntent(intent: string): void {
  const intended = readFormatIfThere(intent, schema, LIMITS);
  if (intended === undefined) return;
  for (const { file, before, content, mode } of intended.edits) {
    if (digestIfThere(file) === before && fs.existsSync(path.dirname(file))) writeAtomic(file, content, mode);
  }
  fs.rmSync(intent);
}

function digestIfThere(file: string): string | null {
  const bytes = readIfThere(file);
  return bytes === undefined ? null : digestOf(bytes);
}
