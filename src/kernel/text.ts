// Characters that can move a cursor, hide text or reorder it: controls, format characters (zero-width and bidirectional
// marks, tags), line and paragraph separators, private use, unpaired surrogates, and all others that are invisible: six
// that Unicode doesn't call blank are (Braille, a replaced object, hieroglyphs, a filler of Khitan, a note without a head).
const UNPRINTABLE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u202f\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu;

/**
 * The only way for foreign text (names, descriptions, reasons, file names, stderr) to reach a terminal: every character
 * that could act on the terminal, or that passes for another one, is shown as `\u{…}`, all on one line, and the length
 * is capped.
 */
export function clean(text: string, maximum = 500): string {
  const visible = markImitations(text.replace(UNPRINTABLE, escapeUnit));
  return visible.length <= maximum ? visible : `${visible.slice(0, maximum - 1).replace(/\p{Cs}$/u, "")}…`;
}

const WORD = /\p{L}[\p{L}\p{M}\p{N}]*/gu;
const LATIN = /\p{Script=Latin}/u;
// Japanese, Chinese and Korean texts mix Latin letters with their own.
const STRANGE_AMONG_LATIN =
  /(?=\p{L})[^\p{Script=Latin}\p{Script=Common}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/gu;
const CYRILLIC_OR_GREEK = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;
// The letters of these two scripts that Unicode's list of confusable characters has for single Latin ones.
const LIKE_LATIN =
  /^[\u0405\u0406\u0408\u0410\u0412\u0415\u041a\u041c-\u041e\u0420-\u0423\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u04cf\u0501\u051a-\u051d\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b9\u03bd\u03bf\u03c1\u03c5]+$/u;

/**
 * Escapes letters that pass for Latin ones: letters of another script in a word with Latin ones, words of look-alikes
 * in a text without any other letter of their script, and Latin letters of another width or style.
 */
function markImitations(text: string): string {
  const unmixed = text.replace(WORD, (word) => {
    const latin = LATIN.test(word) ? word.replace(STRANGE_AMONG_LATIN, escapeUnit) : word;
    return latin.replace(/[\p{Lu}\p{Ll}]/gu, (letter) => (isStyled(letter) ? escapeUnit(letter) : letter));
  });
  const others = unmixed.match(CYRILLIC_OR_GREEK) ?? [];
  if (!others.every((letter) => LIKE_LATIN.test(letter))) return unmixed;
  return unmixed.replace(WORD, (word) =>
    word.length > 1 && LIKE_LATIN.test(word) ? word.replace(/./gu, escapeUnit) : word,
  );
}

function isStyled(letter: string): boolean {
  return letter > "\u007f" && /^[A-Za-z]+$/u.test(letter.normalize("NFKC"));
}

const COLOUR = /(\u001b\[[0-9;]*m)/u;

/**
 * The last step before a terminal, after `clean`: colours and line breaks are ours, and everything else that could act
 * on the terminal is shown as `\u{…}`. If a renderer forgets to clean, people see ugly text, and nothing worse happens.
 */
export function escapeForTerminal(text: string): string {
  return text
    .split(COLOUR)
    .map((part, at) =>
      at % 2 === 1 ? part : part.replace(UNPRINTABLE, (one) => (one === "\n" ? one : escapeUnit(one))),
    )
    .join("");
}

/** The same JSON document with every character escaped that could act on a terminal; its own line breaks stay. */
export function escapeJsonForTerminal(text: string): string {
  return text.replace(UNPRINTABLE, (one) => {
    if (one === "\n") return one;
    return [...Array(one.length).keys()].map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
  });
}

function escapeUnit(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Like `clean`, for text with several lines: cleans each, and keeps at most `maximumLines`. */
export function cleanLines(text: string, maximumLines = 20): string[] {
  const lines = text.split(/\r?\n/u);
  const kept = lines.slice(0, maximumLines).map((line) => clean(line.replaceAll("\t", "  ")));
  return lines.length > maximumLines ? [...kept, `… ${lines.length - maximumLines} more lines`] : kept;
}

/** `1 hook`, `2 hooks`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}

/** Quotes an argument for a POSIX shell, only if needed. */
export function shellQuote(argument: string): string {
  if (/^[\w@%+=:,./^~-]+$/u.test(argument) && !/^[~]/u.test(argument)) return argument;
  return `'${argument.replaceAll("'", "'\\''")}'`;
}

/** Whether somebody who typed the one meant the other: one slip of the finger, or two in a longer word. */
export function isNear(word: string, meant: string): boolean {
  return distance(word, meant) <= (meant.length <= 4 ? 1 : 2);
}

/** How many letters were left out, added, mistaken, or typed in the wrong order. */
export function distance(left: string, right: string): number {
  // Nobody means a name by a word that is so much longer, and this would keep whoever typed it waiting.
  if (Math.abs(left.length - right.length) > 2) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, at) => at)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= left.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(left.length, right.length);
}
