import { LINE_END, NO_HASH } from "../contract/journal.ts";
import { digestOf } from "../kernel/digest.ts";
import type { SegmentLine } from "./segments.ts";

/** A line with the link at its end; null: it has none. */
export interface ChainedLine extends SegmentLine {
  link: { at: number; prev: string; hash: string } | null;
}

export function readLink(line: SegmentLine): ChainedLine {
  const [, at, prev, hash] = LINE_END.exec(line.text) ?? [];
  const isWhole = at !== undefined && prev !== undefined && hash !== undefined;
  return { ...line, link: isWhole ? { at: Number(at), prev, hash } : null };
}

/** More lines than are ever written between a process's look at the journal and its own line. */
const WIDEST_GAP = 10_000;

/** The lines of one file, and what must bind them. */
export interface Chain {
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
export function readChain(lines: readonly ChainedLine[]): Chain {
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
