import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Colour only at a terminal, and never against a person's wish (no-color.org). */
export function isColourful(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  if (env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0") return true;
  return isTerminal && env["TERM"] !== "dumb";
}

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

/** drwn has decided whether to use colour: Node needn't look at the stream again. */
const DECIDED = { validateStream: false };

export function makeStyle(colourful: boolean): Style {
  const paint = (format: Format) => (text: string) => (colourful ? styleText(format, text, DECIDED) : text);
  return { bold: paint("bold"), dim: paint("dim"), good: paint("green"), warn: paint("yellow"), bad: paint("red") };
}
