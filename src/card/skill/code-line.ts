import { digestOf } from "../../kernel/digest.ts";

/** A line of a skill by which an agent runs, permits or reads something by itself, or might. */
export interface CodeLine {
  /** In the card. */
  file: string;
  /** From 1. */
  line: number;
  why: "shell" | "reference" | "frontmatter" | "file" | "reached";
  text: string;
}

/** Equal for the same code, in whatever lines of whatever text it stands. */
export function codeDigest(code: readonly CodeLine[]): string {
  return digestOf(JSON.stringify(code.map(({ file, why, text }) => [file, why, text])));
}
