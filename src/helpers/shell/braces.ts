const MOST_BRACES = 32;
const LONGEST_WORD = 4_096;
/** Stand for braces and commas outside quotes while a word is read. No text of a person's has them. */
const MARKS = ["\u{f0000}", "\u{f0001}", "\u{f0002}"] as const;
const SIGNS = ["{", ",", "}"] as const;
const MARKED = /^([\s\S]*?)\u{f0000}([^\u{f0000}\u{f0002}]*\u{f0001}[^\u{f0000}\u{f0002}]*)\u{f0002}([\s\S]*)$/u;

/** Text outside quotes, with marks in place of the signs of `{a,b}`. */
export function marked(text: string): string {
  return text.includes("{") || text.includes(",") || text.includes("}") ? replaced(text, SIGNS, MARKS) : text;
}

export function unmarked(text: string): string {
  return text.includes("\u{db80}") ? replaced(text, MARKS, SIGNS) : text;
}

function replaced(text: string, from: readonly string[], to: readonly string[]): string {
  return from.reduce((done, sign, at) => done.replaceAll(sign, to[at] ?? ""), text);
}

/**
 * Expands `{a,b}` as a shell does: each alternative becomes a word. If there are too many, the word stays as it is
 * written.
 */
export function expandMarked(word: string): string[] {
  if (!word.includes("\u{db80}")) return [word];
  let words = [word];
  for (let rounds = 0; rounds < MOST_BRACES; rounds++) {
    const expanded = words.flatMap((one) => {
      const [, before = "", inside, after = ""] = one.length > LONGEST_WORD ? [] : (MARKED.exec(one) ?? []);
      return inside === undefined ? [one] : inside.split(MARKS[1]).map((part) => `${before}${part}${after}`);
    });
    if (expanded.length === words.length || expanded.length > MOST_BRACES) break;
    words = expanded;
  }
  // A shell drops what is empty: `{,rm}` is `rm`.
  return (words.length > 1 ? words.filter((one) => one !== "") : words).map(unmarked);
}

/** The same for a text that was never read as a shell's word. */
export function expandBraces(word: string): string[] {
  return expandMarked(marked(word));
}
