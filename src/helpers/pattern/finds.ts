/** A pattern of plain texts, each perhaps with a word boundary on either side. */
const PLAIN = /^(?:[\w !"#%&',\-:;<=>@~|]|\\[b./*?$])*$/;

/**
 * The same as `pattern.test(text)`, for a pattern that is used once: V8 takes longer to compile thirty alternatives
 * than to search for each of them.
 */
export function finds(pattern: RegExp, text: string): boolean {
  const { source, flags } = pattern;
  const isAnyCase = flags === "i";
  // Outside ASCII, one letter may have several counterparts in the other case.
  if ((flags !== "" && !isAnyCase) || !PLAIN.test(source) || (isAnyCase && !/^[\0-\x7f]*$/.test(text)))
    return pattern.test(text);
  const looked = isAnyCase ? text.toLowerCase() : text;
  for (const alternative of (isAnyCase ? source.toLowerCase() : source).split("|")) {
    const before = alternative.startsWith("\\b");
    const after = alternative.endsWith("\\b");
    const written = before || after ? alternative.slice(before ? 2 : 0, after ? -2 : undefined) : alternative;
    if (written.includes("\\b") || (written === "" && (before || after))) return pattern.test(text);
    const word = written.includes("\\") ? written.replaceAll("\\", "") : written;
    if (before || after ? hasWord(looked, word, { before, after }) : looked.includes(word)) return true;
  }
  return false;
}

function hasWord(text: string, word: string, { before, after }: { before: boolean; after: boolean }): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if ((!before || isEdge(text, at)) && (!after || isEdge(text, at + word.length))) return true;
  }
  return false;
}

function isEdge(text: string, at: number): boolean {
  return /\w/.test(text.charAt(at - 1)) !== /\w/.test(text.charAt(at));
}
