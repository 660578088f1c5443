/** One simple command as it is read, before looking at what it starts. */
export interface ReadCommand {
  /**
   * Program and arguments without quotes. Parts that are only known at run time stay as they are written: `$x`,
   * `$(ls)`.
   */
  words: string[];
  assignments: { name: string; value: string }[];
  redirections: Redirection[];
  /** The commands whose output it reads, the nearest first; for a group, all commands in it. */
  fedBy: readonly ReadCommand[];
  /** The loops that began before it. */
  loops: readonly Loop[];
  /** The variables that it hands on to what it starts, apart from its own assignments. */
  exported: readonly (readonly [string, string])[];
  /** The function that it calls, if the same text defines it. */
  calls: (Around & { text: string }) | undefined;
  /** Another command gets what it prints: it is in `$(…)`, backquotes or `<(…)`. */
  isCaptured?: boolean;
}

/** What is known at the beginning of a text that is inside another one. */
export interface Around {
  variables?: Iterable<readonly [string, string]>;
  functions?: Iterable<readonly [string, string]>;
  exported?: Iterable<string>;
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
  /** The descriptor before the operator, if there is one. */
  descriptor?: string;
  /** The text that follows on the lines after `<<`. */
  body?: string;
}

interface Heredoc {
  redirection: Redirection;
  isLiteral: boolean;
  stripsTabs: boolean;
}

/** The state of reading. Commands in substitutions go into the same list. */
export interface Scan {
  readonly text: string;
  at: number;
  readonly depth: number;
  /** The variables that this text has assigned so far. */
  readonly variables: Map<string, string>;
  /** The names of those that programs get. */
  readonly exported: Set<string>;
  /** The bodies of the functions that have been defined so far. */
  readonly functions: Map<string, string>;
  /** What the functions that have been defined so far assign to variables of their callers. */
  readonly assigned: Map<string, readonly (readonly [string, string])[]>;
  /** How often functions have been called, in all texts together. */
  readonly calls: { made: number };
  readonly found: ReadCommand[];
  loops: readonly Loop[];
  /** Here-documents that `<<` has announced and that are still to come. */
  heredocs: Heredoc[];
  /** Reads commands up to the parenthesis that closes them, or to the end of the text. */
  readonly readScript: (scan: Scan, end: ")" | "") => void;
}

/** Thrown for text that isn't a shell command: an open quote, an extra parenthesis. */
export class UnreadableCommand extends Error {}

const DEEPEST = 40;

/** The state for reading another text inside this one: a substitution, the body of a here-document. */
export function scanWithin(scan: Scan, text: string): Scan {
  return { ...deeper(scan), text, at: 0, heredocs: [] };
}

/** The state for reading a deeper level of the same text, whose assignments stay there. */
export function deeper(scan: Scan): Scan {
  if (scan.depth >= DEEPEST) throw new UnreadableCommand("it is nested too deeply");
  return { ...scan, depth: scan.depth + 1, variables: new Map(scan.variables), exported: new Set(scan.exported) };
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
