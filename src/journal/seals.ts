import { JOURNAL } from "../contract/journal.ts";
import type { Fault } from "./fault.ts";
import { readSegment, type Segment, splitLines } from "./segments.ts";

/** The seals beside one file of the journal: one for each line, in roughly the order of the lines. */
export function readSeals({ seals }: Segment): string[] {
  return splitLines(readSegment(seals)).flatMap(({ text }) => (text.length === JOURNAL.seal ? [text] : []));
}

/**
 * Sealed lines that are missing, and how many lines have no seal. A line's seal may be beside the file before the
 * line's own.
 */
export function findMissing(
  segments: readonly Segment[],
  seals: readonly string[][],
  hashes: ReadonlySet<string>,
): { faults: Fault[]; unsealed: number } {
  const present = new Set([...hashes].map((hash) => hash.slice(0, JOURNAL.seal)));
  const sealed = new Set(seals.flat());
  const faults = segments.flatMap(({ file }, place) => faultsOf(file, seals[place] ?? [], present));
  return { faults, unsealed: [...present].filter((seal) => !sealed.has(seal)).length };
}

function faultsOf(file: string, seals: readonly string[], present: ReadonlySet<string>): Fault[] {
  const kept = seals.findLastIndex((seal) => present.has(seal));
  const atEnd = seals.length - 1 - kept;
  const between = seals.slice(0, kept + 1).filter((seal) => !present.has(seal)).length;
  return [
    ...(between > 0 ? [fault("missing", file, `${count(between)} sealed but missing`)] : []),
    ...(atEnd > 0 ? [fault("truncated", file, `${count(atEnd)} missing from the end`)] : []),
  ];
}

function fault(kind: "missing" | "truncated", file: string, message: string): Fault {
  return { kind, file, line: null, message };
}

function count(lines: number): string {
  return lines === 1 ? "1 line is" : `${lines} lines are`;
}
