import fs from "node:fs";
import path from "node:path";
import { isMapping } from "../../../helpers/is-type.ts";
import { listFolder } from "../../../kernel/files.ts";
import { readBounded } from "../../../kernel/format/read.ts";
import { parseToml } from "../../../kernel/format/toml.ts";
import { isProblem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import { workspaceHooks } from "../hook/paths.ts";
import { ASTRID_HOOK_EVENTS, type AstridEvent, type Hook } from "../words/hook.ts";
import { readAstridEntry } from "./entry.ts";

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

/** A hook and the file that it is in. */
export interface LoadedAstridHook {
  hook: Hook;
  file: string;
  /** The line at which it begins. */
  line: number;
}

/** Something in a file that keeps one of its hooks from loading, or that has no effect. */
export interface AstridLoadFault {
  file: string;
  /** `hooks[1]` in a file of several; null: the file's only hook, or the file itself. */
  entry: string | null;
  /** The line at which the entry begins. */
  line: number;
  /** The path from the top of the entry, such as `handler.type`. Null: the whole entry. */
  field: string | null;
  what: string;
  /** The hook runs all the same. */
  isNote: boolean;
  /** For a hook that cannot be loaded: the events that its failure would have rejected. */
  rejects: readonly AstridEvent[];
}

export interface LoadedAstridHooks {
  hooks: LoadedAstridHook[];
  faults: AstridLoadFault[];
}

/**
 * Reads the hooks of one file, which is a hook itself or holds a list of them, `[[hooks]]`. Leaves out a hook with any
 * fault, and reports every fault. `place` stands for the file in ids that drwn makes up.
 */
export function readHookFile(file: string, place: string): LoadedAstridHooks {
  const text = readText(file);
  if ("fault" in text) return { hooks: [], faults: [text.fault] };
  const tables = parse(text.content, file);
  if ("fault" in tables) return { hooks: [], faults: [tables.fault] };
  const loaded = tables.entries.map((entry) => loadEntry({ ...entry, file, place }));
  return { hooks: loaded.flatMap(({ hooks }) => hooks), faults: loaded.flatMap(({ faults }) => faults) };
}

interface Entry {
  file: string;
  entry: string | null;
  line: number;
  table: Readonly<Record<string, unknown>>;
  place: string;
}

function loadEntry({ file, entry, line, table, place }: Entry): LoadedAstridHooks {
  const { hook, faults, notes } = readAstridEntry(table, entry === null ? place : `${place} ${entry}`);
  const about = { file, entry, line };
  return {
    hooks: hook === null ? [] : [{ hook, file, line }],
    faults: [
      ...faults.map((fault) => ({ ...about, ...fault, isNote: false, rejects: rejectedBy(table) })),
      ...notes.map((what) => ({ ...about, field: null, what, isNote: true, rejects: [] })),
    ],
  };
}

/**
 * The events that a broken hook would have rejected: being broken is a failure, and the hook says what its failure
 * means.
 */
function rejectedBy({ fail_action, enabled, event }: Readonly<Record<string, unknown>>): readonly AstridEvent[] {
  if (fail_action !== "block" || enabled === false) return [];
  const own = ASTRID_HOOK_EVENTS.filter((one) => one === event);
  return own.length === 0 ? ASTRID_HOOK_EVENTS : own;
}

function readText(file: string): { content: string } | { fault: AstridLoadFault } {
  try {
    const bytes = readBounded(file);
    if (bytes === undefined) return { fault: faultOf(file, "it is not there") };
    return { content: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    return { fault: faultOf(file, isProblem(error) ? error.message : "it cannot be read as text") };
  }
}

function parse(
  content: string,
  file: string,
): { entries: Omit<Entry, "file" | "place">[] } | { fault: AstridLoadFault } {
  try {
    const table = parseToml(content, { file });
    const { hooks } = table;
    if (Object.keys(table).length !== 1 || !Array.isArray(hooks)) return { entries: [{ entry: null, line: 1, table }] };
    const lines = linesOfEntries(content);
    const entries = hooks.map((one, at) => ({
      entry: `hooks[${at}]`,
      line: lines[at] ?? 1,
      table: isMapping(one) ? one : {},
    }));
    return { entries };
  } catch (error) {
    if (!isProblem(error)) throw error;
    // Nobody knows what the file says, but one line can be searched for.
    const isGuard = /^[ \t]*fail_action[ \t]*=[ \t]*["']block["']/mu.test(content);
    return { fault: { ...faultOf(file, error.message), rejects: isGuard ? ASTRID_HOOK_EVENTS : [] } };
  }
}

/** The lines at which entries begin, counted from one. */
function linesOfEntries(content: string): number[] {
  return content.split("\n").flatMap((line, at) => (/^[ \t]*\[\[[ \t]*hooks[ \t]*\]\]/u.test(line) ? [at + 1] : []));
}

function faultOf(file: string, what: string): AstridLoadFault {
  return { file, entry: null, line: 1, field: null, what, isNote: false, rejects: [] };
}

/** One line that names file, entry and field. */
export function describeAstridFault({ file, entry, field, what }: AstridLoadFault): string {
  const places = [clean(file), ...(entry === null ? [] : [entry]), ...(field === null ? [] : [`\`${clean(field)}\``])];
  return `${places.join(", ")}: ${clean(what)}`;
}
