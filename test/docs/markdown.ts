/** One fenced code block, and what its info string says of it. */
export interface Block {
  /** Of the opening fence, from 1. */
  line: number;
  language: string;
  /** The bare words behind the language. */
  words: readonly string[];
  /** The `name=value` words. */
  options: Readonly<Record<string, string>>;
  text: string;
}

export interface Link {
  line: number;
  target: string;
}

/** A page, taken apart far enough to check it. */
export interface Page {
  blocks: Block[];
  links: Link[];
  /** Text between single backticks, outside of blocks. */
  codes: { line: number; text: string }[];
  /** Lines outside of blocks, without inline code. */
  prose: { line: number; text: string }[];
  /** What a link behind `#` may name. */
  anchors: ReadonlySet<string>;
}

const FENCE = /^(`{3,}|~{3,})(.*)$/u;

export function readPage(markdown: string): Page {
  const page = { blocks: [] as Block[], links: [] as Link[], codes: [] as Page["codes"], prose: [] as Page["prose"] };
  const anchors = new Set<string>();
  let open: { fence: string; info: string; line: number; lines: string[] } | undefined;
  for (const [at, text] of markdown.split("\n").entries()) {
    const line = at + 1;
    if (open !== undefined) {
      if (text.trimEnd() === open.fence) {
        page.blocks.push(toBlock(open));
        open = undefined;
      } else open.lines.push(text);
      continue;
    }
    const [, fence, info = ""] = FENCE.exec(text) ?? [];
    if (fence !== undefined) {
      open = { fence, info: info.trim(), line, lines: [] };
      continue;
    }
    readProse(page, line, text);
    if (/^#+ /u.test(text)) anchors.add(toAnchor(text));
  }
  if (open !== undefined) throw new Error(`line ${open.line}: the block has no end`);
  return { ...page, anchors };
}

function readProse(page: Omit<Page, "anchors">, line: number, text: string): void {
  for (const [, code = ""] of text.matchAll(/`([^`]+)`/gu)) page.codes.push({ line, text: code });
  for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/gu)) page.links.push({ line, target });
  page.prose.push({ line, text: text.replace(/`[^`]+`/gu, "") });
}

function toBlock({ info, line, lines }: { info: string; line: number; lines: readonly string[] }): Block {
  const [language = "", ...rest] = info.split(/\s+/u);
  const options = rest.flatMap((word) => {
    const equals = word.indexOf("=");
    return equals < 0 ? [] : [[word.slice(0, equals), word.slice(equals + 1)] as const];
  });
  const words = rest.filter((word) => !word.includes("="));
  return { line, language, words, options: Object.fromEntries(options), text: `${lines.join("\n")}\n` };
}

/** As the common Markdown viewers make it: lower case, punctuation gone, dashes for spaces. */
function toAnchor(heading: string): string {
  return heading
    .replace(/^#+ /u, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
