import type { Part, Script, WrittenRedirection } from "./syntax.ts";

/** The state of parsing a text. */
export interface Scan {
  readonly text: string;
  at: number;
  /** How many substitutions and groups are open. */
  depth: number;
  /** Here-documents that `<<` has announced and that are still to come. */
  heredocs: { redirection: WrittenRedirection; end: string; isLiteral: boolean }[];
  readonly parseScript: (text: string, depth: number) => Script;
  /** Parses commands from after an opening parenthesis up to the closing one. */
  readonly parseUntil: (scan: Scan) => Script;
}

/** Thrown for text that isn't a shell command: an open quote, an extra parenthesis. */
export class UnreadableCommand extends Error {
  /** The hook process says the message of such an error as it is. */
  override readonly name = "UnreadableCommand";
}

/** A quote is open at the end, or a parenthesis is closed that nobody opened. */
export class UnbalancedCommand extends UnreadableCommand {}

const DEEPEST = 100;

/** Parses something that is inside of something else. */
export function deeper<T>(scan: Scan, parse: () => T): T {
  if (scan.depth >= DEEPEST) throw new UnreadableCommand("it is nested too deeply");
  scan.depth++;
  const parsed = parse();
  scan.depth--;
  return parsed;
}

/** The next character, or the one that is `ahead` characters after it; "" at the end. */
export function peek({ text, at }: Scan, ahead = 0): string {
  return text[at + ahead] ?? "";
}

/** Skips and returns what a sticky pattern matches here; null: nothing. */
export function take(scan: Scan, pattern: RegExp): string | null {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.text)?.[0] ?? null;
  if (found !== null) scan.at += found.length;
  return found;
}

export function isAt(scan: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.at;
  return pattern.test(scan.text);
}

/** Puts text behind text, so that a word has few parts. */
export function addPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
  else parts.push(part);
}
