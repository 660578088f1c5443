/** One simple command as it is read, before what it starts is looked at. */
export interface ReadCommand {
  /** Program and arguments, after quotes are taken off. What only running it tells stays as it is written: `$x`, `$(ls)`. */
  words: string[];
  assignments: { name: string; value: string }[];
  redirections: Redirection[];
  /** The commands whose output it reads, the nearest first: of a group, all that are in it. */
  fedBy: readonly ReadCommand[];
  /** The loops that began before it. */
  loops: readonly Loop[];
  /** The function of the same text that it calls. */
  calls: (Around & { text: string }) | undefined;
}

/** What is known where a text begins that is read within another one. */
export interface Around {
  variables?: Iterable<readonly [string, string]>;
  functions?: Iterable<readonly [string, string]>;
  loops?: readonly Loop[];
  calls?: { made: number };
}

/** `for name in values`. */
export interface Loop {
  name: string;
  values: readonly string[];
}

/** One redirection: `2> log` is `{ descriptor: "2", operator: ">", target: "log" }`. */
export interface Redirection {
  operator: string;
  /** The file, the descriptor, the text of `<<<`, or the delimiter of `<<`. */
  target: string;
  /** What is written before the operator, where something is. */
  descriptor?: string;
  /** The text that follows on the lines after `<<`. */
  body?: string;
}

interface Heredoc {
  redirection: Redirection;
  isLiteral: boolean;
  stripsTabs: boolean;
}

/** Where reading stands. Commands in substitutions are added to the same list. */
export interface Scan {
  readonly text: string;
  at: number;
  readonly depth: number;
  /** What was assigned so far, in this text. */
  readonly variables: Map<string, string>;
  /** The bodies of the functions that were defined so far. */
  readonly functions: Map<string, string>;
  /** How often functions were called, in all texts together. */
  readonly calls: { made: number };
  readonly found: ReadCommand[];
  loops: readonly Loop[];
  /** Announced by `<<`, and still to come. */
  heredocs: Heredoc[];
  /** Reads commands up to the parenthesis that closes them, or to the end of the text. */
  readonly readScript: (scan: Scan, end: ")" | "") => void;
}

/** Thrown for text that isn't a shell command: a quote that is not closed, a parenthesis too much. */
export class UnreadableCommand extends Error {}

const DEEPEST = 40;

/** Reads another text instead of this one: a substitution, the body of a here-document. */
export function scanWithin(scan: Scan, text: string): Scan {
  return { ...deeper(scan), text, at: 0, heredocs: [] };
}

/** The same, for one that shares the text. */
export function deeper(scan: Scan): Scan {
  if (scan.depth >= DEEPEST) throw new UnreadableCommand("it is nested too deeply");
  return { ...scan, depth: scan.depth + 1 };
}

/** The character after the next one counts from 0. */
export function peek({ text, at }: Scan, ahead = 0): string {
  return text[at + ahead] ?? "";
}

/** Moves over what the pattern, a sticky one, finds here. Null: nothing. */
export function take(scan: Scan, pattern: RegExp): string | null {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.text)?.[0] ?? null;
  if (found !== null) scan.at += found.length;
  return found;
}
