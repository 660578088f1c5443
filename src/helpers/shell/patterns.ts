import { hasUnknown, unquoted } from "./parse/marks.ts";

/** Nobody trims more, and no pattern has more stars: a limit, because each length is tried. */
const LONGEST = 300;
const MOST_STARS = 2;

/** A shell's pattern as the source of an expression; undefined: only running it shows what it matches. */
function sourceOf(pattern: string): string | undefined {
  if (hasUnknown(pattern) || /[?*+@!]\(/.test(pattern) || (pattern.match(/\*/g)?.length ?? 0) > MOST_STARS)
    return undefined;
  const pieces = pattern.match(/\[[!^]?\]?[^\]]*\]|[\s\S]/gu) ?? [];
  const sources = pieces.map((piece) => {
    if (piece === "*") return "[^]*";
    if (piece === "?") return "[^]";
    if (piece.length > 2 && piece.startsWith("[")) return classOf(piece);
    return [...unquoted(piece)].map(escaped).join("");
  });
  return sources.includes(undefined) ? undefined : sources.join("");
}

function escaped(sign: string): string {
  return `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}

/** `[a-z]`; undefined: it has names of classes, whose members the locale says. */
function classOf(piece: string): string | undefined {
  const inside = piece.slice(1, -1);
  const isNegated = /^[!^]/.test(inside);
  const members = [...(isNegated ? inside.slice(1) : inside)];
  if (/\[[:.=]/.test(inside) || members.includes("\\")) return undefined;
  const parts: string[] = [];
  for (let at = 0; at < members.length; at++) {
    const [member = "", dash, last] = members.slice(at, at + 3);
    if (dash !== "-" || last === undefined) parts.push(escaped(unquoted(member)));
    // The order of letters is the locale's.
    else if (/^(?:\d\d)$/.test(member + last) && member <= last) {
      parts.push(`${member}-${last}`);
      at += 2;
    } else return undefined;
  }
  return `[${isNegated ? "^" : ""}${parts.join("")}]`;
}

/** Whether a shell's pattern may stand for a name. A star takes no leading dot. */
export function mayStandFor(pattern: string, name: string): boolean {
  if (name.startsWith(".") && !pattern.startsWith(".")) return false;
  const source = sourceOf(pattern);
  return source === undefined || new RegExp(`^(?:${source})$`, "u").test(name);
}

/** `${x%pattern}` and its like; undefined: only running it shows the result. */
export function trimmed(text: string, operator: string, pattern: string): string | undefined {
  const source = sourceOf(pattern);
  const characters = [...text];
  if (source === undefined || characters.length > LONGEST) return undefined;
  const fits = new RegExp(`^(?:${source})$`, "u");
  const isEnd = operator.startsWith("%");
  const lengths = Array.from({ length: characters.length + 1 }, (_, length) => length);
  if (operator.length > 1) lengths.reverse();
  for (const length of lengths) {
    const at = isEnd ? characters.length - length : length;
    const cut = (isEnd ? characters.slice(at) : characters.slice(0, at)).join("");
    // What is unknown may be of any length.
    if (hasUnknown(cut)) return undefined;
    if (fits.test(cut)) return (isEnd ? characters.slice(0, at) : characters.slice(at)).join("");
  }
  return text;
}

/** `${x/pattern/text}` and its like; undefined: only running it shows the result. */
export function replaced(text: string, operator: string, pattern: string, by: string): string | undefined {
  const source = sourceOf(pattern);
  if (source === undefined || hasUnknown(text) || text.length > LONGEST) return undefined;
  if (pattern === "" && !/[#%]$/.test(operator)) return text;
  // bash puts what was found in place of `&`, if it is new enough.
  if (by.includes("&")) return undefined;
  const begin = operator === "/#" ? "^" : "";
  const end = operator === "/%" ? "$" : "";
  const found = new RegExp(`${begin}(?:${source})${end}`, operator === "//" ? "gu" : "u");
  if (operator !== "//" || text === "" || !new RegExp(`^(?:${source})$`, "u").test(""))
    return text.replace(found, () => by);
  return text.replace(found, (one) => (one === "" ? "" : by));
}

/** `${x^^}` and its like; undefined: only running it shows the result. */
export function recased(text: string, operator: string, pattern: string): string | undefined {
  if (hasUnknown(text) || pattern !== "") return undefined;
  const change = (part: string) => (operator.startsWith("^") ? part.toUpperCase() : part.toLowerCase());
  // The locale decides about other letters.
  if (/[^\u{0}-\u{7f}]/u.test(text)) return undefined;
  return operator.length > 1 ? change(text) : change(text.slice(0, 1)) + text.slice(1);
}

/** `${x:1:2}`; undefined: only running it shows the result. */
export function sliced<T>(all: readonly T[], range: string): readonly T[] | undefined {
  const [, offset, length] = /^\s*\(?\s*(-?\d+)\s*\)?\s*(?::\s*\(?\s*(-?\d*)\s*\)?\s*)?$/u.exec(range) ?? [];
  if (offset === undefined) return undefined;
  const from = Number(offset) < 0 ? all.length + Number(offset) : Number(offset);
  if (from < 0 || from > all.length) return [];
  if (length === undefined) return all.slice(from);
  const count = Number(length);
  const to = count < 0 ? all.length + count : from + count;
  return to < from ? undefined : all.slice(from, to);
}
