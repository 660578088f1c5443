import type { Parameter, Part } from "./syntax.ts";

/** Nobody writes more; of more, the word stays as it is written. */
const MOST_WORDS = 64;
const RANGE = () => /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([a-zA-Z])\.\.([a-zA-Z]))(?:\.\.(-?\d{1,9}))?$/u;

/** Expands `{a,b}` and `{1..3}` as a shell does, before anything else: each alternative becomes a word. */
export function expandBraces(parts: readonly Part[]): (readonly Part[])[] {
  if (!parts.some((part) => typeof part === "string" && part.includes("{"))) return [parts];
  const pieces = parts.flatMap((part): readonly Part[] =>
    typeof part === "string" ? (part.match(/[{},]|[^{},]+/g) ?? []) : [part],
  );
  const words = expand(pieces, 0) ?? [parts];
  return words.length === 1 ? [parts] : words.map(joinNames);
}

/** Braces come before variables: `$a{b,c}` is `$ab $ac`. */
function joinNames(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    const more = typeof part === "string" ? (/^\w+/.exec(part)?.[0] ?? "") : "";
    if (typeof part !== "string" || more === "" || !isBareName(before)) joined.push(part);
    else {
      joined[joined.length - 1] = { ...before, name: before.name + more, source: before.source + more };
      if (more.length < part.length) joined.push(part.slice(more.length));
    }
  }
  return joined;
}

function isBareName(part: Part | undefined): part is Parameter {
  return typeof part === "object" && part.kind === "parameter" && /^\$[A-Za-z_]\w*$/.test(part.source);
}

/** The same for a text that was never read as a shell's word. */
export function bracesIn(word: string): string[] {
  return word.includes("{") ? expandBraces([word]).map((parts) => parts.join("")) : [word];
}

/** Null: these are too many words. */
function expand(pieces: readonly Part[], depth: number): (readonly Part[])[] | null {
  if (depth > MOST_WORDS) return null;
  for (let open = pieces.indexOf("{"); open >= 0; open = pieces.indexOf("{", open + 1)) {
    const inside = alternativesIn(pieces, open);
    if (inside === null) continue;
    const after = expand(pieces.slice(inside.end + 1), depth + 1);
    if (after === null) return null;
    const words: (readonly Part[])[] = [];
    for (const alternative of inside.alternatives) {
      const expanded = expand(alternative, depth + 1);
      if (expanded === null || words.length + expanded.length * after.length > MOST_WORDS) return null;
      for (const one of expanded) for (const rest of after) words.push([...pieces.slice(0, open), ...one, ...rest]);
    }
    return words;
  }
  return [pieces];
}

/** What a brace offers; null: it is an ordinary character. */
function alternativesIn(pieces: readonly Part[], open: number): { alternatives: Part[][]; end: number } | null {
  const alternatives: Part[][] = [[]];
  let depth = 0;
  for (let at = open + 1; at < pieces.length; at++) {
    const piece = pieces[at] ?? "";
    if (piece === "}" && depth === 0) {
      const ranged = alternatives.length > 1 ? null : rangeOf(alternatives[0] ?? []);
      if (ranged === null && alternatives.length === 1) return null;
      return { alternatives: ranged ?? alternatives, end: at };
    }
    if (piece === "{") depth++;
    if (piece === "}") depth--;
    if (piece === "," && depth === 0) alternatives.push([]);
    else alternatives.at(-1)?.push(piece);
  }
  return null;
}

/** The members of `{1..3}` or `{a..c..2}`. */
function rangeOf(inside: readonly Part[]): Part[][] | null {
  const [, first, last, begin, end, by] =
    inside.length === 1 && typeof inside[0] === "string" ? (RANGE().exec(inside[0]) ?? []) : [];
  const from = first === undefined ? begin?.charCodeAt(0) : Number(first);
  const to = last === undefined ? end?.charCodeAt(0) : Number(last);
  if (from === undefined || to === undefined) return null;
  const step = Math.max(1, Math.abs(Number(by ?? 1)));
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > MOST_WORDS) return null;
  const width = [first, last].some((one) => /^-?0\d/u.test(one ?? ""))
    ? Math.max(first?.length ?? 0, last?.length ?? 0)
    : 0;
  return Array.from({ length: count }, (_, at) => {
    const value = from + (to < from ? -at : at) * step;
    if (first === undefined) return [String.fromCharCode(value)];
    const digits = String(Math.abs(value));
    return [value < 0 ? `-${digits.padStart(width - 1, "0")}` : digits.padStart(width, "0")];
  });
}
