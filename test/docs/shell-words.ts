/** The words of one command line: quotes group, and a `#` between words begins a comment. Nothing else is shell. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  for (const [, quoted, single, bare = "", comment] of line.matchAll(
    /"([^"]*)"|'([^']*)'|([^\s"'#][^\s"']*)|(#.*$)/gu,
  )) {
    if (comment !== undefined) break;
    const word = quoted ?? single ?? bare;
    if (quoted === undefined && single === undefined && /[$`|&;<>*?(){}\\]/u.test(word)) {
      throw new Error(`\`${word}\` means something to a shell, and this is none: quote it`);
    }
    words.push(word);
  }
  return words;
}
