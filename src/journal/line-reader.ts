import { type Caller, type JournalLine, type NotedRuling, type PolicyEntry, parseLine, parsePart } from "./line.ts";

/** A text of JSON that is what stands between its quotes. */
const PLAIN = String.raw`"([^"\\\u0000-\u001f]*)"`;
const SOME = PLAIN.replace("(", "(?:");
const NUMBER = String.raw`(?:0|[1-9]\d{0,14})`;
/** A line up to its input or policies, and from its own `ms` on. */
const HEAD = new RegExp(
  `^\\{"time":${PLAIN},"pid":${NUMBER},("runtime":${SOME},"phase":${SOME},"tool":(?:null|${SOME}))` +
    `(?:,"call":${PLAIN})?(?:,"session":${PLAIN})?(?:,"overruled":${PLAIN})?`,
  "u",
);
const END = new RegExp(`,"ms":(${NUMBER}(?:\\.\\d)?),"at":${NUMBER},"prev":${SOME},"hash":${PLAIN}\\}$`, "uy");
/** Characters of an end that the hook process writes, behind the digits of its `at`. */
const BEHIND_AT = `,"prev":"","hash":""}`.length + 2 * 64;
const INPUT = ',"input":"';
const POLICIES = ',"policies":[';
const CLOSED = "],";
const MS = ',"ms":';
const MOST_POLICIES = 1_000;

/**
 * Reads lines as `parseLine` does, faster if the hook process wrote them. Such a line has its fields in a known order, and most of it
 * stood in an earlier line, word for word: that part is parsed once, and lines share what came of it. Each part is JSON by itself, so
 * a line that consists of them cannot be read otherwise. Every other line is left to `parseLine`.
 */
export class LineReader {
  readonly #callers = new Shelf(parsePart.caller);
  readonly #sessions = new Shelf((text) => text);
  readonly #rulings = new Shelf(parsePart.ruling);
  /** By the place of a policy among those of its line, by what its entry says before its `ms`. */
  readonly #entries: Shelf<Shelf<PolicyEntry>>[] = [];

  /** Undefined: it isn't a line of the journal. */
  read(text: string): JournalLine | undefined {
    return this.#readOwn(text) ?? parseLine(text);
  }

  #readOwn(text: string): JournalLine | undefined {
    const head = HEAD.exec(text);
    const behind = Math.max(0, text.lastIndexOf(MS, text.length - BEHIND_AT));
    END.lastIndex = behind;
    const end = END.exec(text);
    if (head === null || end === null) return undefined;
    const caller = this.#callers.get(head[2] ?? "");
    const input = readInput(text, head[0].length);
    if (caller === undefined || input === undefined || !text.startsWith(POLICIES, input.end)) return undefined;
    const policies: PolicyEntry[] = [];
    const close = this.#readEntries(text, input.end + POLICIES.length, policies) + CLOSED.length;
    const ruling = close < CLOSED.length ? undefined : this.#rulings.get(text.slice(close, behind));
    return ruling === undefined ? undefined : this.#join({ head, caller, input: input.value, policies, ruling, end });
  }

  /** Where `],` follows the last one; negative: it doesn't. */
  #readEntries(text: string, start: number, policies: PolicyEntry[]): number {
    if (text.startsWith(CLOSED, start)) return start;
    for (let at = start; policies.length < MOST_POLICIES; ) {
      const shelf = this.#entries[policies.length] ?? new Shelf(shelfBehind);
      this.#entries[policies.length] = shelf;
      const likely = at + shelf.lastLength;
      const ms = text.startsWith(MS, likely) ? likely : text.indexOf(MS, at);
      const end = text.indexOf("}", ms) + 1;
      const entry = ms < 0 || end === 0 ? undefined : shelf.get(text.slice(at, ms))?.get(text.slice(ms, end));
      if (entry === undefined) return -CLOSED.length;
      policies.push(entry);
      if (text.startsWith(CLOSED, end)) return end;
      if (text[end] !== ",") return -CLOSED.length;
      at = end + 1;
    }
    return -CLOSED.length;
  }

  /** In the order in which `parseLine` has the fields. */
  #join({ head, caller, input, policies, ruling, end }: Parts): JournalLine {
    const [, time = "", , call, session, overruled] = head;
    const [, ms = "", hash = ""] = end;
    const { verdict, effective, rule, by, reason, context, rewritten, named, problem } = ruling;
    const line: Partial<JournalLine> = { time, runtime: caller.runtime, phase: caller.phase, tool: caller.tool };
    if (call !== undefined) line.call = call;
    if (session !== undefined) line.session = this.#sessions.get(session) ?? session;
    if (overruled !== undefined) line.overruled = overruled;
    line.policies = policies;
    line.verdict = verdict;
    line.effective = effective;
    if (rule !== undefined) line.rule = rule;
    if (by !== undefined) line.by = by;
    if (reason !== undefined) line.reason = reason;
    if (context !== undefined) line.context = context;
    if (rewritten !== undefined) line.rewritten = rewritten;
    if (input !== null) line.input = input;
    if (named !== undefined) line.named = named;
    if (problem !== undefined) line.problem = problem;
    line.ms = Number(ms);
    line.hash = hash;
    return line as JournalLine;
  }
}

interface Parts {
  head: RegExpExecArray;
  caller: Caller;
  input: string | null;
  policies: PolicyEntry[];
  ruling: NotedRuling;
  end: RegExpExecArray;
}

/** Undefined: the rest isn't what the hook process writes. */
function readInput(text: string, start: number): { value: string | null; end: number } | undefined {
  if (!text.startsWith(INPUT, start)) return { value: null, end: start };
  const from = start + INPUT.length - 1;
  let end = text.indexOf('"', from + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end < 0) return undefined;
  try {
    return { value: JSON.parse(text.slice(from, end + 1)), end: end + 1 };
  } catch {
    return undefined;
  }
}

/** By an odd number of backslashes before it. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === "\\") from--;
  return (at - from) % 2 === 1;
}

/** Different parts that are kept; a person's journal has a few hundred. */
const MOST_KEPT = 10_000;

/** What came of the parts that were read, and first of all of the last one: the next line has it most often. */
class Shelf<T> {
  readonly #parse: (text: string) => T | undefined;
  readonly #known = new Map<string, T>();
  #last: string | undefined;
  #value: T | undefined;
  lastLength = 0;

  constructor(parse: (text: string) => T | undefined) {
    this.#parse = parse;
  }

  get(text: string): T | undefined {
    if (text === this.#last) return this.#value;
    const value = this.#known.get(text) ?? this.#add(text);
    if (value === undefined) return undefined;
    this.#last = text;
    this.#value = value;
    this.lastLength = text.length;
    return value;
  }

  #add(text: string): T | undefined {
    const value = this.#parse(text);
    if (value === undefined) return undefined;
    if (this.#known.size >= MOST_KEPT) this.#known.clear();
    this.#known.set(text, value);
    return value;
  }
}

/** Of the entries that begin with this text, by what follows. */
function shelfBehind(beginning: string): Shelf<PolicyEntry> {
  return new Shelf((rest) => parsePart.entry(beginning + rest));
}
