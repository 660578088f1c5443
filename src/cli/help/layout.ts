import type { Style } from "../terminal/style.ts";

/** How a page of the help is drawn. */
export interface Drawing {
  columns: number;
  style: Style;
}

export interface HelpEntry {
  name: string;
  text: string;
}

const INDENT = "  ";
/** A longer name gets its own line. */
const LONGEST_NAME = 28;

/** Wraps text with lines of any length to this one; its paragraphs stay. */
export function wrap(text: string, columns: number): string[] {
  const paragraphs = text.split(/\n{2,}/u).map((lines) => fill(lines.replaceAll("\n", " "), columns));
  return paragraphs.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

function fill(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A heading above entries whose texts begin in one column; nothing if there are no entries. */
export function section(
  heading: string,
  entries: readonly HelpEntry[],
  { columns, style, names = entries }: Drawing & { names?: readonly HelpEntry[] },
): string[] {
  if (entries.length === 0) return [];
  const lengths = names.map(({ name }) => name.length).filter((length) => length <= LONGEST_NAME);
  const width = Math.max(0, ...lengths) + 2;
  const column = INDENT + " ".repeat(width);
  const rows = entries.flatMap(({ name, text }) => {
    const [first = "", ...others] = wrap(text, columns - column.length);
    const isLong = name.length > LONGEST_NAME;
    const head = isLong ? [`${INDENT}${name}`, `${column}${first}`] : [`${INDENT}${name.padEnd(width)}${first}`];
    return [...head, ...others.map((line) => `${column}${line}`)].map((line) => line.trimEnd());
  });
  return ["", style.bold(heading), ...rows];
}
