import { type JournalLine, type PolicyEntry, parseLine } from "./line.ts";
import {
  addForm,
  type Branch,
  type Form,
  type FormEntry,
  formOf,
  MOST_SLOTS,
  NUMBER,
  newBranch,
  TEXT,
  viewOf,
} from "./line-forms.ts";

const LINE_BREAK = 0x0a;
const FIRST_PLAIN = 0x20;
const QUOTE = 0x22;
const POINT = 0x2e;
const ZERO = 0x30;
const BACKSLASH = 0x5c;
const FIRST_WIDE = 0x80;
const MOST_DIGITS = 15;
const ESCAPE = /^\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/u;
const LONGEST_ESCAPE = 6;
/** How many different forms are kept; a person's journal has some dozens. */
const MOST_FORMS = 4_000;
const MOST_KEPT = 1_000;

/**
 * Reads lines as `parseLine` does, but faster if a line has the form of an earlier one: the same bytes except for
 * times, ids, reasons and the like. It checks that each of these is a whole JSON string or number, so `parseLine` would
 * read the same. `parseLine` reads every other line.
 */
export class LineReader {
  readonly #root = newBranch();
  #forms = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#bytes);
  /** The end and the slots of the last line that had a known form. */
  #end = 0;
  readonly #from = new Int32Array(MOST_SLOTS);
  readonly #to = new Int32Array(MOST_SLOTS);
  readonly #numbers = new Float64Array(MOST_SLOTS);
  /** Whether a slot's text needs no decoding. */
  readonly #isPlain = new Uint8Array(MOST_SLOTS);

  /** The lines of a file. It skips what isn't one, and a last line without a line break, which may be incomplete. */
  *read(bytes: Buffer): Generator<JournalLine> {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    for (let start = 0; start < bytes.length; ) {
      const form = this.#find(start);
      const end = form === null ? bytes.indexOf(LINE_BREAK, start) : this.#end;
      if (end < 0) return;
      const line = form === null ? this.#learn(bytes.toString("utf8", start, end)) : this.#join(form, start);
      if (line !== undefined) yield line;
      start = end + 1;
    }
  }

  /** Follows the line through the known forms; null: none of them fits. */
  #find(start: number): Form | null {
    let at = start;
    let slots = 0;
    let branch: Branch = this.#root;
    for (;;) {
      if (branch.slot === TEXT) at = this.#readText(at, slots++);
      else if (branch.slot === NUMBER) at = this.#readNumber(at, slots++);
      else at = endOfSame(this.#view, at, branch.text);
      const byte = at < 0 ? undefined : this.#bytes[at];
      if (byte === undefined) return null;
      if (byte === LINE_BREAK) {
        this.#end = at;
        return branch.form;
      }
      const next = branch.only ?? branch.next.get(byte);
      if (next === undefined) return null;
      branch = next;
    }
  }

  /** Where the text ends; negative: it isn't a JSON string. */
  #readText(start: number, slot: number): number {
    const bytes = this.#bytes;
    let isPlain = 1;
    let at = skipPlain(this.#view, start);
    for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[++at]) {
      if (byte === undefined || byte < FIRST_PLAIN) return -1;
      if (byte < FIRST_WIDE && byte !== BACKSLASH) continue;
      isPlain = 0;
      if (byte !== BACKSLASH) continue;
      const [escaped] = ESCAPE.exec(bytes.toString("latin1", at, at + LONGEST_ESCAPE)) ?? [];
      if (escaped === undefined) return -1;
      at += escaped.length - 1;
    }
    this.#from[slot] = start;
    this.#to[slot] = at;
    this.#isPlain[slot] = isPlain;
    return at;
  }

  /** Where the number ends; negative: the hook process doesn't write such numbers. */
  #readNumber(start: number, slot: number): number {
    const bytes = this.#bytes;
    let at = start;
    let value = 0;
    for (let digit = digitIn(bytes[at]); digit >= 0; digit = digitIn(bytes[++at])) value = value * 10 + digit;
    const digits = at - start;
    if (digits === 0 || digits > MOST_DIGITS || (digits > 1 && bytes[start] === ZERO)) return -1;
    if (bytes[at] === POINT) {
      const tenth = digitIn(bytes[at + 1]);
      if (tenth < 0) return -1;
      // Dividing two whole numbers gives exactly the number that the decimals denote.
      value = (value * 10 + tenth) / 10;
      at += 2;
    }
    this.#numbers[slot] = value;
    return at;
  }

  #learn(text: string): JournalLine | undefined {
    const line = parseLine(text);
    const learnt = line === undefined || this.#forms >= MOST_FORMS ? undefined : formOf(text);
    if (learnt === undefined) return line;
    addForm(this.#root, learnt.text, learnt.form);
    this.#forms++;
    return line;
  }

  /** Keeps the order of `parseLine`'s fields. */
  #join({ sample, slots, named, entries }: Form, start: number): JournalLine {
    // One character for each byte.
    const line = { text: this.#bytes.toString("latin1", start, this.#end), start };
    return {
      time: this.#textIn(slots.time, line),
      runtime: sample.runtime,
      phase: sample.phase,
      tool: sample.tool,
      call: slots.call === undefined ? sample.call : this.#textIn(slots.call, line),
      session: slots.session === undefined ? sample.session : this.#textIn(slots.session, line),
      overruled: slots.overruled === undefined ? sample.overruled : this.#textIn(slots.overruled, line),
      policies: entries.map((entry) => this.#entryOf(entry, line)),
      verdict: sample.verdict,
      effective: sample.effective,
      rule: sample.rule,
      by: sample.by,
      reason: slots.reason === undefined ? sample.reason : this.#textIn(slots.reason, line),
      context: slots.context === undefined ? undefined : this.#numbers[slots.context],
      rewritten: slots.rewritten === undefined ? sample.rewritten : this.#textIn(slots.rewritten, line),
      input: slots.input === undefined ? sample.input : this.#textIn(slots.input, line),
      named:
        sample.named === undefined
          ? undefined
          : {
              digest: named.digest === undefined ? sample.named.digest : this.#textIn(named.digest, line),
              folder: sample.named.folder,
              session: named.session === undefined ? sample.named.session : this.#textIn(named.session, line),
            },
      problem: slots.problem === undefined ? sample.problem : this.#textIn(slots.problem, line),
      ms: this.#numbers[slots.ms] ?? 0,
      hash: this.#textIn(slots.hash, line),
    };
  }

  #textIn(slot: number, { text, start }: { text: string; start: number }): string {
    const [from, to] = [this.#from[slot] ?? 0, this.#to[slot] ?? 0];
    if (this.#isPlain[slot] === 1) return text.slice(from - start, to - start);
    return JSON.parse(this.#bytes.toString("utf8", from - 1, to + 1));
  }

  #entryOf({ sample, ms: slot, failure, known }: FormEntry, line: { text: string; start: number }): PolicyEntry {
    const ms = this.#numbers[slot] ?? 0;
    if (failure !== undefined) return { ...sample, failure: this.#textIn(failure, line), ms };
    const same = known.get(ms);
    if (same !== undefined) return same;
    const entry = { ...sample, ms };
    if (known.size >= MOST_KEPT) known.clear();
    known.set(ms, entry);
    return entry;
  }
}

/** Where the text ends if the bytes at `start` are the same; negative: they aren't. */
function endOfSame(bytes: DataView, start: number, text: DataView): number {
  const length = text.byteLength;
  if (start + length > bytes.byteLength) return -1;
  let same = 0;
  // Eight bytes at once while there are eight. Bytes that make NaN equal nothing, so such a line goes to the parser.
  for (; same + 8 <= length; same += 8) {
    if (bytes.getFloat64(start + same, true) !== text.getFloat64(same, true)) return -1;
  }
  for (; same < length; same++) {
    if (bytes.getUint8(start + same) !== text.getUint8(same)) return -1;
  }
  return start + length;
}

/** Skips plain characters, four bytes at once: it stops if one is a quote, a backslash, wide or below a space. */
function skipPlain(bytes: DataView, start: number): number {
  let at = start;
  for (const last = bytes.byteLength - 4; at <= last; at += 4) {
    const four = bytes.getInt32(at, true);
    const quotes = four ^ 0x22222222;
    const backslashes = four ^ 0x5c5c5c5c;
    const isZero = ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
    if (((isZero | (four - 0x20202020) | four) & 0x80808080) !== 0) return at;
  }
  return at;
}

/** Negative: it isn't a digit. */
function digitIn(byte = 0): number {
  const digit = byte - ZERO;
  return digit > 9 ? -1 : digit;
}
