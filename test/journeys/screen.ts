import xterm, { type IBufferCell, type IBufferLine } from "@xterm/headless";

export interface Size {
  rows: number;
  columns: number;
}

/** What a terminal of this size shows of these bytes, with everything that scrolled away; with colour, as `‹bold red›text‹›`. */
export async function screenOf(sent: string, { rows, columns }: Size, isColoured: boolean): Promise<string> {
  const terminal = new xterm.Terminal({ rows, cols: columns, scrollback: 10_000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(sent, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, at) => {
    const line = active.getLine(at);
    if (line === undefined) return "";
    return isColoured ? styled(line) : line.translateToString(true);
  });
  terminal.dispose();
  return `${lines.join("\n").trimEnd()}\n`;
}

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

function styled(line: IBufferLine): string {
  let [text, open] = ["", ""];
  const length = line.translateToString(true).length;
  for (let at = 0; at < length; at++) {
    const cell = line.getCell(at);
    const style = cell === undefined ? "" : styleOf(cell);
    if (style !== open) text += `${open === "" ? "" : "‹›"}${style === "" ? "" : `‹${style}›`}`;
    open = style;
    text += cell?.getChars() || (cell?.getWidth() === 0 ? "" : " ");
  }
  return `${text}${open === "" ? "" : "‹›"}`;
}

function styleOf(cell: IBufferCell): string {
  const words = [
    cell.isBold() ? "bold" : "",
    cell.isDim() ? "dim" : "",
    cell.isItalic() ? "italic" : "",
    cell.isUnderline() ? "underlined" : "",
    cell.isInverse() ? "inverse" : "",
    cell.isStrikethrough() ? "struck" : "",
    cell.isFgDefault() ? "" : colourOf(cell.getFgColor()),
    cell.isBgDefault() ? "" : `on ${colourOf(cell.getBgColor())}`,
  ];
  return words.filter((word) => word !== "").join(" ");
}

function colourOf(colour: number): string {
  return colour < 16 ? `${colour < 8 ? "" : "bright "}${COLOURS[colour % 8]}` : String(colour);
}
