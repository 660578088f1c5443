import { clean } from "../../kernel/text.ts";
import { LEAST_TEXT, padTo, widthOf, wrapLine } from "../terminal/style.ts";

type Row = readonly string[];

/**
 * Columns padded to their widest cell; nothing if there are no rows. Every cell goes through `clean`. In a terminal
 * that is too narrow it wraps the last column; if that isn't enough, the first cell of a row gets its own line; and if
 * that isn't either, every cell does, after its heading.
 */
export function renderTable(headings: Row, rows: readonly Row[], room: number): string[] {
  if (rows.length === 0) return [];
  const cells = [headings, ...rows].map((row) => row.map((cell) => clean(cell, 200)));
  const whole = layOut(cells, room);
  if (whole !== undefined) return whole.flat();
  const rest = layOut(
    cells.map((row) => row.slice(1)),
    room - STACKED.length,
  );
  if (rest === undefined) return cells.slice(1).flatMap((row) => describe(row, { headings, room }));
  return cells.flatMap(([first = ""], at) => [first, ...(rest[at] ?? []).map((line) => STACKED + line)]);
}

const STACKED = "  ";
const BETWEEN = 2;

/** The lines of each row; undefined if there is no room for the columns side by side. */
function layOut(cells: readonly Row[], room: number): string[][] | undefined {
  const count = cells[0]?.length ?? 0;
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...cells.map((row) => widthOf(row[column] ?? ""))),
  );
  const last = widths.pop() ?? 0;
  const before = widths.reduce((sum, width) => sum + width + BETWEEN, 0);
  if (last > room - before && room - before < LEAST_TEXT) return undefined;
  const lines = cells.map((row) => {
    const [start, ...others] = wrapLine(row[count - 1] ?? "", room - before);
    const head = widths.map((width, column) => padTo(row[column] ?? "", width + BETWEEN)).join("");
    return [`${head}${start}`, ...others.map((line) => " ".repeat(before) + line.trimStart())].map((line) =>
      line.trimEnd(),
    );
  });
  return lines.flat().some((line) => widthOf(line) > room) ? undefined : lines;
}

function describe([first = "", ...others]: Row, { headings, room }: { headings: Row; room: number }): string[] {
  const titles = headings.slice(1);
  const width = Math.max(0, ...titles.map(widthOf));
  const facts = others.flatMap((cell, at) =>
    cell === "" ? [] : wrapLine(`${STACKED}${padTo(titles[at] ?? "", width)}  ${cell}`, room),
  );
  return [first, ...facts];
}
