/** Whether a word is one of these. V8 would compile an expression of so many words for every call, which takes longer than all else that is asked. */
export function oneOf(words: string): (word: string) => boolean {
  const list = ` ${words} `;
  return (word) => !word.includes(" ") && list.includes(` ${word} `);
}

/** The same in upper and lower case alike; `words` are lower case. */
export function oneOfAnyCase(words: string): (word: string) => boolean {
  const isOne = oneOf(words);
  // As expressions with `iu` have it, in which a long s is an s.
  return (word) => isOne(word.toUpperCase().toLowerCase());
}
