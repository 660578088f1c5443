import fs from "node:fs";
import { openRegular } from "../../kernel/read-file.ts";
import type { HearGap } from "./call.ts";

/** Agents keep pictures in their transcripts, as text. */
const LONGEST_LINE = 32 * 1024 * 1024;
const PIECE = 256 * 1024;
const LINE_BREAK = 0x0a;

interface JsonLine {
  /** From 1. */
  number: number;
  value: unknown;
  /** Of its text. */
  length: number;
}

/**
 * The lines of JSON that a file has when it is opened, one at a time: what is written to it meanwhile is left out. A last line
 * without its end is in the middle of being written, unless it is whole already.
 */
export async function* readJsonLines(file: string, hear: HearGap): AsyncGenerator<JsonLine> {
  for await (const { number, text, isEnded } of readTextLines(file)) {
    if (text === null) {
      hear({ file, line: number, what: `is longer than ${LONGEST_LINE} bytes` });
      continue;
    }
    if (text.trim() === "") continue;
    const value = parseOrNothing(text);
    if (value !== undefined) yield { number, value, length: text.length };
    else if (isEnded) hear({ file, line: number, what: "isn't JSON" });
  }
}

/** JSON has no undefined. */
function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface TextLine {
  number: number;
  /** Null: it is too long. */
  text: string | null;
  isEnded: boolean;
}

async function* readTextLines(file: string): AsyncGenerator<TextLine> {
  let number = 1;
  let held = new HeldLine();
  for await (const piece of readPieces(file)) {
    let start = 0;
    for (let end = piece.indexOf(LINE_BREAK); end >= 0; end = piece.indexOf(LINE_BREAK, start)) {
      held.add(piece.subarray(start, end));
      yield { number, text: held.text(), isEnded: true };
      number += 1;
      held = new HeldLine();
      start = end + 1;
    }
    held.add(piece.subarray(start));
  }
  if (held.length > 0) yield { number, text: held.text(), isEnded: false };
}

class HeldLine {
  #pieces: Buffer[] = [];
  length = 0;

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > LONGEST_LINE) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  text(): string | null {
    return this.length > LONGEST_LINE ? null : Buffer.concat(this.#pieces).toString("utf8");
  }
}

async function* readPieces(file: string): AsyncGenerator<Buffer> {
  const fd = openRegular(file);
  if (fd === undefined) return;
  const { size } = fs.fstatSync(fd);
  if (size === 0) {
    fs.closeSync(fd);
    return;
  }
  yield* fs.createReadStream(file, { fd, end: size - 1, highWaterMark: PIECE });
}
