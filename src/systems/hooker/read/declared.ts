import type { HookerAction } from "../data/policies.ts";

/** A pattern in Ruby's syntax. */
export interface DeclaredPattern {
  /** What hooker compiles: it leaves out the flags of a literal. */
  ruby: string;
  /** The flags of a literal that hooker leaves out. */
  lostFlags: string;
}

/** `file: "name"`: a whole name at the end of a path. */
export interface DeclaredFile {
  file: string;
}

/** `match: :git_push`. */
export interface DeclaredConstant {
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
