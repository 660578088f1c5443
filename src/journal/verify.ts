import { createHash } from "node:crypto";
import { HASH_FIELD, JOURNAL } from "../contract/journal.ts";
import { type Chain, type ChainedLine, readChain, readLink } from "./chain.ts";
import type { Fault } from "./fault.ts";
import { listSegments, readSegment, type Segment, splitLines } from "./segments.ts";

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
