import type { HookerAction } from "../data/policies.ts";

/** A pattern in Ruby's syntax. */
interface DeclaredPattern {
  /** What hooker compiles: it leaves out the flags of a literal. */
  ruby: string;
  /** The flags of a literal that hooker leaves out. */
  lostFlags: string;
}

/** `file: "name"`: a whole name at the end of a path. */
interface DeclaredFile {
  file: string;
}

/** `match: :git_push`. */
interface DeclaredConstant {
  constant: string;
}

/** One `policy` of a file, as hooker understands it. */
export interface DeclaredPolicy {
  name: string;
  line: number;
  event: string | null;
  /** The anchored form, flags included. */
  tool: { ruby: string; text: string; flags: string } | null;
  match: DeclaredPattern | DeclaredFile | DeclaredConstant | null;
  matchField: string | null;
  when: { condition: string; model: string | null } | null;
  action: HookerAction | null;
}

/** Global options of git between its name and the subcommand: words that contain one of `- / . =`. */
const GIT = String.raw`git\b(?:\s+\S*[-/.=]\S*)*`;
const SUBCOMMANDS = ["commit", "push", "reset", "rebase", "checkout", "switch", "merge", "stash", "restore"];

/** hooker's match constants as hooker writes them, as Ruby regular expressions: they look at text, not at words. */
export const RUBY_CONSTANTS: ReadonlyMap<string, string> = new Map([
  ...SUBCOMMANDS.map((name): [string, string] => [`git_${name}`, String.raw`${GIT}\s+${name}\b`]),
  ["git_push_force", String.raw`${GIT}\s+push\b.*(?:--force\b|-f\b|\+\S)`],
]);
