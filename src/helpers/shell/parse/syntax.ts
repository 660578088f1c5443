/** A part of a word: text, with marks for signs in quotes, or what a shell expands. */
export type Part = string | Quoted | Expansion;

/** What is in double quotes. */
export interface Quoted {
  kind: "quoted";
  parts: readonly Part[];
}

export type Expansion = Parameter | Substitution | Inside;

/** `$x`, `${x:-y}`, `${x[1]}`. */
export interface Parameter {
  kind: "parameter";
  source: string;
  /** "" for zsh's `${:-text}`. */
  name: string;
  /** `@` and `*` are all elements. */
  subscript?: readonly Part[];
  /** `${#x}`, `${!x}`, `${=x}`. */
  prefix: "" | "#" | "!" | "=";
  /** `:-`, `%%`, `//`, `:`, `@`; "" if there is none. */
  operator: string;
  argument: readonly Part[];
}

/** `$(…)`, backquotes, `<(…)`. */
export interface Substitution {
  /** A process gives the name of a file. */
  kind: "output" | "process";
  source: string;
  script: Script;
}

/** Arithmetic and patterns: only the expansions in them matter. */
export interface Inside {
  kind: "arithmetic" | "pattern";
  source: string;
  parts: readonly Part[];
}

export interface Word {
  /** As it is written. */
  source: string;
  parts: readonly Part[];
  /** The elements of `name=(…)`. */
  list?: readonly Word[];
}

export interface Assignment {
  name: string;
  subscript?: readonly Part[];
  isAppended: boolean;
  value: Word;
}

export interface WrittenRedirection {
  descriptor: string | null;
  operator: string;
  target: Word;
  /** The lines after `<<`; a text without expansions has none. */
  body?: readonly Part[];
}

export interface Simple {
  kind: "simple";
  assignments: readonly Assignment[];
  words: readonly Word[];
  redirections: readonly WrittenRedirection[];
}

export interface Definition {
  kind: "function";
  names: readonly string[];
  body: Node;
}

export type Compound =
  /** `( … )`, `{ … }`. `isApart`: what it assigns ends with it. */
  | { kind: "group"; isApart: boolean; body: Script }
  /** Conditions and what follows them; the last one, of `else`, has an empty condition. */
  | { kind: "if"; branches: readonly { condition: Script; body: Script }[] }
  | { kind: "while"; condition: Script; body: Script }
  | For
  | { kind: "case"; word: Word; arms: readonly { patterns: readonly Word[]; body: Script }[] }
  /** `[[ … ]]` and `(( … ))`, whose text may assign. */
  | { kind: "test"; words: readonly Word[]; arithmetic?: string };

export interface For {
  kind: "for";
  names: readonly string[];
  /** Absent: the arguments of the script. */
  values?: readonly Word[];
  /** The expansions in `for ((…))`. */
  header: readonly Part[];
  body: Script;
}

export type Node = Simple | Definition | (Compound & { redirections: readonly WrittenRedirection[] });

/** One pipe of a list. */
export interface Item {
  /** The commands of the pipe. */
  stages: readonly Node[];
  /** With `&&` or `||` before it, it may not run. */
  before: "" | "&&" | "||";
  /** `&`: a shell of its own runs it. */
  isApart: boolean;
}

export type Script = readonly Item[];
