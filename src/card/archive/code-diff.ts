import { structuredPatch } from "diff";
import type { CardFiles } from "../files.ts";

/** How one file differs between two cards. */
export interface FileDiff {
  path: string;
  change: "added" | "removed" | "changed";
  /** Line by line, with three lines of context; null where it isn't text, or too large to compare in good time. */
  hunks: DiffHunk[] | null;
}

export interface DiffHunk {
  /** First line in the former and in the latter file, counted from 1. */
  from: number;
  to: number;
  /** Each begins with a blank, `-` or `+`. */
  lines: string[];
}

const NOTHING = new Uint8Array();
const CONTEXT_LINES = 3;
/** For both files together: more than a person would read. */
const MOST_BYTES = 512 * 1024;
const MOST_MILLISECONDS = 2_000;

/** The files that differ, in ordinal order. Only reads them. */
export function diffFiles(before: CardFiles, after: CardFiles): FileDiff[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path) => {
    const [from, to] = [before.get(path), after.get(path)];
    if (from !== undefined && to !== undefined && from.equals(to)) return [];
    const change = from === undefined ? "added" : to === undefined ? "removed" : "changed";
    return [{ path, change, hunks: diffTexts(from, to) }];
  });
}

function diffTexts(before: Uint8Array = NOTHING, after: Uint8Array = NOTHING): DiffHunk[] | null {
  if (before.length + after.length > MOST_BYTES) return null;
  const [from, to] = [toText(before), toText(after)];
  if (from === undefined || to === undefined) return null;
  const patch = structuredPatch("", "", from, to, "", "", { context: CONTEXT_LINES, timeout: MOST_MILLISECONDS });
  return patch?.hunks.map(({ oldStart, newStart, lines }) => ({ from: oldStart, to: newStart, lines })) ?? null;
}

/** Undefined for bytes that aren't text. */
function toText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
