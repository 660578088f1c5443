import { createHash } from "node:crypto";
import { HASH_FIELD, JOURNAL, LINE_END, NO_HASH } from "../contract/journal.ts";
import { digestOf } from "../kernel/digest.ts";
import { listSegments, readSegment, type Segment, type SegmentLine, splitLines } from "./segments.ts";

export interface Verification {
  ok: boolean;
  calls: number;
  files: number;
  /** Hash of the last line. Kept elsewhere, it shows later whether everything up to there is unchanged. */
  head: string | null;
  /** False: older calls were removed together with journals that had been put aside. */
  isComplete: boolean;
  faults: Fault[];
}

interface VerifyRequest {
  home: string;
  key: string;
  /** The first digits of a head that was noted earlier. */
  expected?: string | undefined;
}

/** Checks the journal against itself. It changes nothing, and calls may be journaled meanwhile. */
export function verifyJournal({ home, key, expected }: VerifyRequest): Verification {
  const segments = listSegments(home, key);
  const faults: Fault[] = findMissingSegments(segments);
  const chains = segments.map(({ file }) => readChain(splitLines(readSegment(file)).map(readLink)));
  const hashes = new Set(chains.flatMap(({ lines }) => lines.flatMap(({ link }) => link?.hash ?? [])));
  const isComplete = (segments[0]?.number ?? 1) === 1;
  for (const [place, { file }] of segments.entries()) {
    const { lines } = chains[place] ?? { lines: [] };
    const former = chains[place - 1] ?? (isComplete ? null : undefined);
    faults.push(...findTorn(file, lines), ...findEdited(file, lines), ...findRepeated(file, lines));
    faults.push(...findUnchained({ file, chain: chains[place], former, hashes }));
  }
  const lines = chains.flatMap((chain) => [...chain.lines]);
  if (expected !== undefined && ![...hashes].some((hash) => hash.startsWith(expected)))
    faults.push(lostHead(segments, expected));
  return {
    ok: faults.length === 0,
    calls: lines.length,
    files: chains.filter((chain) => chain.lines.length > 0).length,
    head: lines.at(-1)?.link?.hash ?? null,
    isComplete,
    faults,
  };
}

function findMissingSegments(segments: readonly Segment[]): Fault[] {
  const aside = segments.flatMap(({ number, file }) => (number === null ? [] : [{ number, file }]));
  const faults: Fault[] = aside.flatMap(({ number, file }, place) => {
    const former = aside[place - 1]?.number ?? number - 1;
    return number - former <= 1 ? [] : [missingSegment(file)];
  });
  const [oldest] = aside;
  const isRemoved = oldest !== undefined && oldest.number > 1 && aside.length < JOURNAL.kept;
  return isRemoved ? [missingSegment(oldest.file), ...faults] : faults;
}

function missingSegment(file: string): Fault {
  return { kind: "segment", file, line: null, message: "the journal that was put aside before this one is gone" };
}

function findTorn(file: string, lines: readonly ChainedLine[]): Fault[] {
  return lines.flatMap(({ link, number }) =>
    link === null ? [{ kind: "torn", file, line: number, message: "is not a whole line of the journal" }] : [],
  );
}

/** Whether a line of the journal still has this hash. */
export function isAsWritten(text: string, hash: string): boolean {
  const said = text.slice(0, text.lastIndexOf(HASH_FIELD));
  return createHash("sha256").update(said).digest("hex") === hash;
}

function findEdited(file: string, lines: readonly ChainedLine[]): Fault[] {
  return lines.flatMap(({ link, number, text }) => {
    if (link === null) return [];
    return isAsWritten(text, link.hash)
      ? []
      : [{ kind: "edited", file, line: number, message: "was edited: its hash differs" }];
  });
}

function findRepeated(file: string, lines: readonly ChainedLine[]): Fault[] {
  const seen = new Set<string>();
  return lines.flatMap(({ link, number }) => {
    if (link === null) return [];
    if (!seen.has(link.hash)) {
      seen.add(link.hash);
      return [];
    }
    return [{ kind: "repeated", file, line: number, message: "occurs a second time" }];
  });
}

interface Unchained {
  file: string;
  chain: Chain | undefined;
  /** The file before this one; null: there never was one; undefined: it was removed, as the oldest files are. */
  former: Chain | null | undefined;
  hashes: ReadonlySet<string>;
}

function findUnchained({ file, chain, former, hashes }: Unchained): Fault[] {
  const faults: Fault[] = [];
  const before = new Set<string>();
  for (const { link, number, start } of chain?.lines ?? []) {
    if (link === null) continue;
    const { at, prev, hash } = link;
    const isBound = at === 0 ? mayBegin(prev, former) : at <= start && chain?.boundAt(at) === prev;
    // A line that was removed or added shifts every later line, so it is reported once.
    if (!isBound && (faults.length === 0 || !before.has(prev))) {
      const kind = hashes.has(prev) && !before.has(prev) ? "moved" : "chain";
      faults.push({ kind, file, line: number, message: UNBOUND[kind] });
    }
    before.add(hash);
  }
  return faults;
}

const UNBOUND = {
  moved: "follows a line that is elsewhere",
  chain: "does not follow from the lines before it: they were edited, removed, added or moved",
} as const;

function mayBegin(prev: string, former: Chain | null | undefined): boolean {
  if (former === undefined) return true;
  return former === null || former.lines.length === 0 ? prev === JOURNAL.beginning : former.mayPrecede(prev);
}

function lostHead(segments: readonly Segment[], expected: string): Fault {
  const message = `the line ${expected}, which was the last one before, is missing`;
  return { kind: "head", file: segments.at(-1)?.file ?? "", line: null, message };
}

/** A line with the link at its end; null: it has none. */
interface ChainedLine extends SegmentLine {
  link: { at: number; prev: string; hash: string } | null;
}

function readLink(line: SegmentLine): ChainedLine {
  const [, at, prev, hash] = LINE_END.exec(line.text) ?? [];
  const isWhole = at !== undefined && prev !== undefined && hash !== undefined;
  return { ...line, link: isWhole ? { at: Number(at), prev, hash } : null };
}

/** More lines than are ever written between a process's look at the journal and its own line. */
const WIDEST_GAP = 10_000;

/** The lines of one file, and what must bind them. */
interface Chain {
  lines: readonly ChainedLine[];
  /** What a line must bind if its process saw the file at this length; undefined: no line ends there. */
  boundAt: (length: number) => string | undefined;
  /**
   * Whether the first line of the next file may bind this. Some lines may have been added to this file after its
   * process looked.
   */
  mayPrecede: (prev: string) => boolean;
}

/**
 * A line binds every line after the `at` of the last whole line that it saw, since that one has bound the earlier ones.
 * The first line of a file binds lines of the file before it.
 */
function readChain(lines: readonly ChainedLine[]): Chain {
  const ends = new Map(lines.map(({ end }, place) => [end, place]));
  const wholes = lastWholes(lines);
  const boundBy = (place: number): string => {
    const whole = wholes[place] ?? -1;
    const from = lines[whole]?.link?.at ?? 0;
    let begin = Math.max(0, whole);
    while (begin > 0 && place - begin < WIDEST_GAP && (lines[begin - 1]?.start ?? 0) >= from) begin--;
    return bindLines(lines.slice(begin, place + 1));
  };
  return {
    lines,
    boundAt: (length) => {
      const place = ends.get(length);
      return place === undefined ? undefined : boundBy(place);
    },
    mayPrecede: (prev) => {
      for (let place = lines.length - 1; place >= 0 && place > lines.length - MOST_LATE; place--) {
        if (boundBy(place) === prev) return true;
      }
      return false;
    },
  };
}

/** The most lines that are written to a journal after it was put aside. */
const MOST_LATE = 1_000;

/** For each line, the index of the last whole line up to it. */
function lastWholes(lines: readonly ChainedLine[]): number[] {
  let whole = -1;
  return lines.map(({ link }, place) => {
    if (link !== null) whole = place;
    return whole;
  });
}

function bindLines(lines: readonly ChainedLine[]): string {
  const hashes = lines.map(({ link }) => link?.hash ?? NO_HASH);
  const [only, ...others] = hashes;
  if (only !== undefined && others.length === 0 && only !== NO_HASH) return only;
  return digestOf(Buffer.from(hashes.join("\n"))).slice("sha256-".length);
}

/** Evidence that a journal isn't as it was written. */
interface Fault {
  kind: "edited" | "torn" | "chain" | "moved" | "repeated" | "segment" | "head";
  file: string;
  /** Null: it concerns the whole file. */
  line: number | null;
  message: string;
}
