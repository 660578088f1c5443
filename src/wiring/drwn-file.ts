import path from "node:path";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { type Change, planFile, readTarget } from "./changes.ts";
import { emptyAround, type FileLocation, findInside, foldersAround, isInside, requireInside } from "./file-location.ts";

interface DrwnFile extends FileLocation {
  /** Its whole text; null: nobody wants the file. */
  text: string | null;
  /** Whether drwn made the text that is there, in this version or an older one. */
  isOurs: (text: string) => boolean;
  what: string;
  mode: number;
  /** The folders, relative to `root`, that drwn made for the file. They go with it if nothing else is in them. */
  created?: readonly string[] | undefined;
  /** If `created` isn't known: the outermost folder to remove. Absent: all folders stay. */
  outermost?: string;
}

/**
 * What has to change for a file of drwn's alone to be there or to be gone. If somebody else's file is in its place, it
 * is refused when drwn's is wanted, and otherwise left alone. A link that leads out of `root` is left alone, too.
 */
export function planDrwnFile({ text, isOurs, what, mode, outermost, created, ...place }: DrwnFile): Change[] {
  const { file } = place;
  const before = readTarget(file)?.toString("utf8");
  if (before !== undefined && !isOurs(before)) {
    if (text === null) return [];
    throw new Problem("DRWN_TARGET_OCCUPIED", `${clean(file)} was not made by drwn`, {
      hint: "move it away, then run the command again",
    });
  }
  if (text !== null) return listed(planFile({ path: requireInside(place), after: Buffer.from(text), what, mode }));
  // A link itself goes: without the file behind it, it would lead nowhere.
  if (findInside(place) === undefined) return [];
  const change = planFile({ path: file, after: null, what, mode });
  if (change !== undefined) {
    return [
      { ...change, folders: created === undefined ? foldersUpTo(outermost, file) : foldersAround(place, created) },
    ];
  }
  const folders = emptyAround(place, created ?? []);
  return folders.length === 0 ? [] : [{ action: "remove", path: file, what, before: null, after: null, folders }];
}

function listed(change: Change | undefined): Change[] {
  return change === undefined ? [] : [change];
}

/** The folders around the file, deepest first. */
function foldersUpTo(outermost: string | undefined, file: string): string[] {
  const folders: string[] = [];
  if (outermost === undefined) return folders;
  let folder = path.dirname(file);
  for (; isInside(outermost, folder); folder = path.dirname(folder)) folders.push(folder);
  return folder === outermost ? [...folders, outermost] : folders;
}
