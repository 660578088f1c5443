import { digestOf } from "../../kernel/digest.ts";

/** A line of a skill that makes an agent run, permit or read something by itself, or might do so. */
export interface CodeLine {
  /** In the card. */
  file: string;
  /** From 1. */
  line: number;
  why: "shell" | "reference" | "frontmatter" | "file" | "reached";
  text: string;
}

/** Equal for the same code, whatever its line numbers and the text around it. */
export function codeDigest(code: readonly CodeLine[]): string {
  return digestOf(JSON.stringify(code.map(({ file, why, text }) => [file, why, text])));
}
