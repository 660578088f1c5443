/**
 * Texts of the reader have marks in them, each a surrogate without its partner, which no other text has: a sign that quotes took its meaning
 * from, or a part that only running the text shows.
 */
const SIGNS = "*?[]{}~$`";
const FIRST_SIGN = 0xdc10;
const FIRST_UNKNOWN = 0xdc80;
const LAST_UNKNOWN = 0xdfff;

/** Removes marks that the text itself has: half of a surrogate pair isn't a character for any program. */
export function wellFormed(text: string): string {
  return /[\u{d800}-\u{dfff}]/u.test(text) ? text.replace(/[\u{d800}-\u{dfff}]/gu, "\u{fffd}") : text;
}

/** A text in quotes: its signs are nothing but themselves. */
export function inQuotes(text: string): string {
  return /[*?[\]{}~$`]/.test(text)
    ? text.replace(/[*?[\]{}~$`]/g, (sign) => String.fromCharCode(FIRST_SIGN + SIGNS.indexOf(sign)))
    : text;
}

/** Whether quotes took the meaning from a sign in this text. */
function hasLiteral(text: string): boolean {
  return /[\u{dc10}-\u{dc18}]/u.test(text);
}

/** Whether quotes made letters of every sign in a text that a pattern or a home begins with. */
export function isLiteral(text: string): boolean {
  return hasLiteral(text) && !/[*?[{]|^~/.test(text) && /[*?[{]|^~/.test(unquoted(text));
}

/** The text without marks for quotes: a variable holds it so. */
export function unquoted(text: string): string {
  return hasLiteral(text)
    ? text.replace(/[\u{dc10}-\u{dc18}]/gu, (mark) => SIGNS[mark.charCodeAt(0) - FIRST_SIGN] ?? "")
    : text;
}

/** Whether only running the text shows a part of this. */
export function hasUnknown(text: string): boolean {
  return /[\u{dc80}-\u{dfff}]/u.test(text);
}

/** Whether nothing of a text is known, so that it may be empty. */
export function isUnknown(text: string): boolean {
  return text !== "" && !/[^\u{dc80}-\u{dfff}]/u.test(text);
}

/** The parts of a text that only running it shows, as they are written. */
export class Unknowns {
  readonly #sources: string[] = [];
  readonly #marks = new Map<string, string>();

  /** The mark for a part that is written so. */
  of(source: string): string {
    const known = this.#marks.get(source);
    if (known !== undefined) return known;
    // Nobody writes so many; the rest of them aren't told apart.
    const mark = String.fromCharCode(Math.min(FIRST_UNKNOWN + this.#sources.length, LAST_UNKNOWN));
    if (mark === String.fromCharCode(LAST_UNKNOWN)) return mark;
    this.#sources.push(source);
    this.#marks.set(source, mark);
    return mark;
  }

  /** A text for people and guards: unknown parts as they are written. */
  written(text: string): string {
    const plain = unquoted(text);
    return hasUnknown(plain)
      ? plain.replace(/[\u{dc80}-\u{dfff}]/gu, (mark) => this.#sources[mark.charCodeAt(0) - FIRST_UNKNOWN] ?? "$(…)")
      : plain;
  }
}
