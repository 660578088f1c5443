import { readBounded } from "../../../format/read.ts";
import { parseToml } from "../../../format/toml.ts";
import { isMapping } from "../../../helpers/guards.ts";
import { isProblem } from "../../../kernel/problem.ts";
import { ASTRID_HOOK_EVENTS, type AstridEvent } from "../words/events.ts";
import type { Hook } from "../words/hook.ts";
import { readAstridEntry } from "./entry.ts";

/** A hook with the file that it stands in. */
export interface LoadedAstridHook {
  hook: Hook;
  file: string;
  /** Where it begins. */
  line: number;
}

/** Something in a file that keeps a hook of it from being loaded, or that has no effect. */
export interface AstridLoadFault {
  file: string;
  /** `hooks[1]` in a file of several; null: the file's only hook, or the file itself. */
  entry: string | null;
  /** Where the entry begins. */
  line: number;
  /** From the top of the entry: `handler.type`. Null: it is about all of it. */
  field: string | null;
  what: string;
  /** The hook runs all the same. */
  isNote: boolean;
  /** Of what cannot be loaded: the events that it would have rejected, had it been loaded and failed. */
  rejects: readonly AstridEvent[];
}

export interface LoadedAstridHooks {
  hooks: LoadedAstridHook[];
  faults: AstridLoadFault[];
}

/**
 * The hooks of one file: the whole file is one, or it is a list of them, `[[hooks]]`. A hook with any fault is left out, and every
 * fault is told. `place` stands for the file in ids that are made up.
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

/** What a broken hook would have rejected: its failure is one, and it says what that means. */
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
    // Nobody knows what it says, but a line of it can be read.
    const isGuard = /^[ \t]*fail_action[ \t]*=[ \t]*["']block["']/mu.test(content);
    return { fault: { ...faultOf(file, error.message), rejects: isGuard ? ASTRID_HOOK_EVENTS : [] } };
  }
}

/** Lines that begin an entry, counted from one. */
function linesOfEntries(content: string): number[] {
  return content.split("\n").flatMap((line, at) => (/^[ \t]*\[\[[ \t]*hooks[ \t]*\]\]/u.test(line) ? [at + 1] : []));
}

function faultOf(file: string, what: string): AstridLoadFault {
  return { file, entry: null, line: 1, field: null, what, isNote: false, rejects: [] };
}
