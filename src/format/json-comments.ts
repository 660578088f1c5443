import { createScanner } from "jsonc-parser";

/** What a program accepts in its JSON beside strict JSON. */
export type JsonExtras = "comments" | "comments and trailing commas";

/** The text with blanks in place of comments, and of commas before a closing bracket: every place in it stays. */
export function blankExtras(text: string, extras: JsonExtras): string {
  const scanner = createScanner(text, false);
  const blanks: [from: number, to: number][] = [];
  let comma: number | null = null;
  let before = "";
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const [from, length] = [scanner.getTokenOffset(), scanner.getTokenLength()];
    const token = text.charAt(from);
    if (token === "/") blanks.push([from, from + length]);
    if (token === "/" || /\s/u.test(token)) continue;
    if (/[\]}]/u.test(token) && comma !== null && extras !== "comments") blanks.push([comma, comma + 1]);
    // One that follows an opening bracket or another comma is a mistake everywhere.
    comma = token === "," && !/^[[{,]?$/u.test(before) ? from : null;
    before = token;
  }
  let blanked = "";
  let end = 0;
  for (const [from, to] of blanks.sort(([a], [b]) => a - b)) {
    blanked += text.slice(end, from) + text.slice(from, to).replaceAll(/[^\r\n]/gu, (one) => " ".repeat(one.length));
    end = to;
  }
  return blanked + text.slice(end);
}
