import fs from "node:fs";
import path from "node:path";
import { listFolder } from "../../../kernel/atomic.ts";
import { workspaceHooks } from "../hook/paths.ts";
import { type AstridLoadFault, type LoadedAstridHooks, readHookFile } from "./hook-file.ts";

export interface AstridHookFolders {
  /** The folder of the workspace, whose hooks are in `.astrid/hooks`. */
  root: string;
  /** More folders of hooks, in order; the user's own is one of them. */
  extraPaths?: readonly string[];
}

/** The names of a file with a hook. In a folder, the first that exists counts. */
const FILE_NAMES = ["HOOK.toml", "hook.toml", "hooks.toml"];

/**
 * Every hook of the workspace and the extra folders, in the order in which they were found, and every fault in their
 * files.
 */
export function discoverHooks({ root, extraPaths = [] }: AstridHookFolders): LoadedAstridHooks {
  const folders = [workspaceHooks(root), ...extraPaths.map((folder) => path.resolve(root, folder))];
  const seen = new Set<string>();
  const found: LoadedAstridHooks = { hooks: [], faults: [] };
  for (const folder of folders) {
    const real = realPathOf(folder);
    if (real === undefined || seen.has(real)) continue;
    seen.add(real);
    const { hooks, faults } = loadFolder(folder, real);
    found.hooks.push(...hooks);
    found.faults.push(...faults);
  }
  return found;
}

/** The hooks directly in a folder, and one file from each folder in it; nothing deeper. */
export function loadFolder(folder: string, real = fs.realpathSync(folder)): LoadedAstridHooks {
  const loaded: LoadedAstridHooks = { hooks: [], faults: [] };
  for (const file of hookFilesIn(folder)) {
    const target = realPathOf(file);
    const isInside = target?.startsWith(`${real}${path.sep}`) === true;
    const { hooks, faults } = isInside ? readHookFile(file, path.relative(folder, file)) : strayLink(file);
    loaded.hooks.push(...hooks);
    loaded.faults.push(...faults);
  }
  return loaded;
}

function hookFilesIn(folder: string): string[] {
  const entries = listFolder(folder);
  const direct = entries.filter((name) => FILE_NAMES.includes(name)).map((name) => path.join(folder, name));
  const nested = entries.flatMap((name) => {
    const inside = path.join(folder, name);
    if (FILE_NAMES.includes(name) || !isFolder(inside)) return [];
    const own = listFolder(inside);
    const first = FILE_NAMES.find((candidate) => own.includes(candidate));
    return first === undefined ? [] : [path.join(inside, first)];
  });
  return [...nested, ...direct];
}

function strayLink(file: string): LoadedAstridHooks {
  const what = "it leads out of its folder of hooks, and is not read";
  const fault: AstridLoadFault = { file, entry: null, line: 1, field: null, what, isNote: false, rejects: [] };
  return { hooks: [], faults: [fault] };
}

function isFolder(place: string): boolean {
  return fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}

function realPathOf(place: string): string | undefined {
  try {
    return fs.realpathSync(place);
  } catch {
    return undefined;
  }
}
