import { clean } from "../../kernel/text.ts";

/** Columns padded to their widest cell; nothing at all for no rows. Every cell goes through the cleaning door. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const cells = [headings, ...rows].map((row) => row.map((cell) => clean(cell, 200)));
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
