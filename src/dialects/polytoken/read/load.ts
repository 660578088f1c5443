import { isMapping } from "../../../helpers/is-type.ts";
import { PatternFault } from "../../../helpers/pattern/syntax.ts";
import { offsetOfPath, positionAt } from "../../../kernel/format/edit-json.ts";
import { parseStrictJson } from "../../../kernel/format/json.ts";
import { readBounded } from "../../../kernel/format/read.ts";
import { Problem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import { isPolytokenEvent, POLYTOKEN_HOOK_EVENTS, type PolytokenEvent } from "../words/events.ts";
import { compilePolytokenGlob } from "../words/glob.ts";
import type { PolytokenHook } from "../words/run-hook.ts";

export interface PolytokenHookFiles {
  /** Null: there are no global hooks. */
  globalFile: string | null;
  projectFile: string | null;
}

/** A hook in force, ready to be asked. */
export interface LoadedPolytokenHook extends PolytokenHook {
  file: string;
  line: number;
  matches: (subject: string) => boolean;
}

/**
 * The hooks in force, in the order in which they run: the global ones that the project leaves on, then the project's
 * own. An absent file has none; a file with any fault is refused as a whole.
 */
export function loadPolytokenHooks({ globalFile, projectFile }: PolytokenHookFiles): LoadedPolytokenHook[] {
  const everywhere = globalFile === null ? undefined : readHooksFile(globalFile);
  const project = projectFile === null || projectFile === globalFile ? undefined : readHooksFile(projectFile);
  const inherited = hooksOf(everywhere);
  const off = new Set(negationsOf(project, inherited));
  negationsOf(everywhere, []);
  return [...inherited.filter(({ name }) => !off.has(name)), ...hooksOf(project)];
}

function hooksOf(from: HooksFile | undefined): LoadedPolytokenHook[] {
  return (from?.entries ?? []).flatMap(({ line, entry }) => {
    if ("off" in entry) return [];
    const matches = entry.matcher === undefined ? () => true : compilePolytokenGlob(entry.matcher);
    return [{ ...entry, file: from?.file ?? "", line, matches }];
  });
}

/** The names that a file turns off; each must belong to a hook that the file inherits. */
function negationsOf(from: HooksFile | undefined, inherited: readonly LoadedPolytokenHook[]): string[] {
  return (from?.entries ?? []).flatMap(({ line, entry }, at) => {
    if (!("off" in entry)) return [];
    if (inherited.some(({ name }) => name === entry.off)) return [entry.off];
    throw refuse(
      from?.file ?? "",
      line,
      `entry ${at + 1} turns off ${JSON.stringify(entry.off)}, and there is no global hook of that name`,
    );
  });
}

/** What one hooks.json says, in order. */
interface HooksFile {
  file: string;
  entries: readonly NumberedEntry[];
}

export interface NumberedEntry {
  /** Its line in the file, counted from 1. */
  line: number;
  entry: PolytokenHook | Negation;
}

/** The file's entries; undefined: the file is absent. Throws a problem that names file, line, entry and field. */
export function readHooksFile(file: string): HooksFile | undefined {
  const bytes = readBounded(file);
  return bytes === undefined ? undefined : parseHooks(bytes, file);
}

function parseHooks(bytes: Uint8Array, file: string): HooksFile {
  const text = decode(bytes, file);
  const value = parseStrictJson(text, { file });
  if (!Array.isArray(value)) throw refuse(file, 1, "the file should be a list of hooks");
  const entries = value.map((one: unknown, at) => {
    const line = positionAt(text, offsetOfPath(text, [at])).line;
    try {
      return { line, entry: readPolytokenEntry(one) };
    } catch (error) {
      if (!(error instanceof EntryFault)) throw error;
      const { field, message } = error;
      const place = positionAt(text, offsetOfPath(text, [at, ...field])).line;
      const what = field.length === 0 ? message : `\`${field.join(".")}\` ${message}`;
      throw refuse(file, place, `entry ${at + 1}${nameOf(one)}: ${what}`);
    }
  });
  return { file, entries };
}

function refuse(file: string, line: number, fault: string): Problem {
  return new Problem("DRWN_POLICIES_UNREADABLE", clean(`${file}, line ${line}: ${fault}`, 1000), {
    hint: "correct the file; none of its hooks runs as it is",
  });
}

function nameOf(value: unknown): string {
  return isMapping(value) && typeof value["name"] === "string" ? ` (${JSON.stringify(value["name"])})` : "";
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Problem("DRWN_POLICIES_UNREADABLE", `${clean(file)} is not UTF-8`, { cause });
  }
}

/** An entry `"!name"`, which turns off the global hook of that name in this project. */
interface Negation {
  off: string;
}

/** What is wrong with an entry, and in which field; an empty path means the entry itself. */
class EntryFault extends Error {
  readonly field: readonly string[];

  constructor(field: readonly string[], fault: string) {
    super(fault);
    this.field = field;
  }
}

const FIELDS = ["name", "event", "matcher", "handler"];

/** Accepts exactly what Polytoken knows. Anything else is an `EntryFault`, so that no hook silently never fires. */
function readPolytokenEntry(value: unknown): PolytokenHook | Negation {
  if (typeof value === "string") return readNegation(value);
  if (!isMapping(value)) throw new EntryFault([], `should be an object or "!name", got ${show(value)}`);
  refuseUnknown(value, FIELDS, []);
  const name = readText(value, "name");
  const matcher = value["matcher"] === undefined ? undefined : readMatcher(readText(value, "matcher"));
  return {
    name,
    event: readEvent(readText(value, "event")),
    ...(matcher === undefined ? {} : { matcher }),
    handler: readHandler(value["handler"]),
  };
}

function readNegation(text: string): Negation {
  if (!text.startsWith("!") || text === "!") {
    throw new EntryFault([], `should be a hook, or "!name" to turn off a global one, got ${show(text)}`);
  }
  return { off: text.slice(1) };
}

function readEvent(name: string): PolytokenEvent {
  if (isPolytokenEvent(name)) return name;
  throw new EntryFault(
    ["event"],
    `names the unknown event ${show(name)}; the events are ${POLYTOKEN_HOOK_EVENTS.join(", ")}`,
  );
}

function readMatcher(glob: string): string {
  try {
    compilePolytokenGlob(glob);
    return glob;
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    throw new EntryFault(["matcher"], `${show(glob)} isn't a glob: ${error.message}`);
  }
}

function readHandler(value: unknown): { bash: string } {
  if (value === undefined) throw new EntryFault(["handler"], "is missing");
  if (!isMapping(value)) throw new EntryFault(["handler"], `should be an object, got ${show(value)}`);
  refuseUnknown(value, ["bash"], ["handler"]);
  return { bash: readText(value, "bash", ["handler"]) };
}

function readText(from: Readonly<Record<string, unknown>>, key: string, path: readonly string[] = []): string {
  const value = from[key];
  if (value === undefined) throw new EntryFault([...path, key], "is missing");
  if (typeof value !== "string") throw new EntryFault([...path, key], `should be text, got ${show(value)}`);
  // No program takes an argument or a variable with this character.
  if (value.includes("\0")) throw new EntryFault([...path, key], "has a null character");
  if (value === "" && key === "name") throw new EntryFault([...path, key], "is empty");
  return value;
}

function refuseUnknown(value: object, known: readonly string[], path: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new EntryFault([...path, unknown], `is unknown; known are ${known.join(", ")}`);
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}
