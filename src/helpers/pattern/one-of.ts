/**
 * Whether a word is one of these. V8 would compile an expression of so many words for every call, which would take
 * longer than everything else.
 */
export function oneOf(words: string): (word: string) => boolean {
  const list = ` ${words} `;
  return (word) => !word.includes(" ") && list.includes(` ${word} `);
}

/** The same, ignoring case; `words` are in lower case. */
export function oneOfAnyCase(words: string): (word: string) => boolean {
  const isOne = oneOf(words);
  // Like expressions with `iu`, for which a long s is an s.
  return (word) => isOne(word.toUpperCase().toLowerCase());
}

/** `python` of `python3.12`. */
export function withoutVersion(program: string): string {
  let end = program.length;
  while (end > 0 && "0123456789.".includes(program.charAt(end - 1))) end--;
  return program.slice(0, end);
}
