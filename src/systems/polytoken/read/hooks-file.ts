import { offsetOfPath, positionAt } from "../../../format/edit.ts";
import { parseStrictJson } from "../../../format/json.ts";
import { readBounded } from "../../../format/read.ts";
import { isMapping } from "../../../helpers/guards.ts";
import { Problem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import type { PolytokenHook } from "../words/run-hook.ts";
import { EntryFault, type Negation, readPolytokenEntry } from "./entry.ts";

/** What one hooks.json says, in order. */
export interface HooksFile {
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

export function refuse(file: string, line: number, fault: string): Problem {
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
