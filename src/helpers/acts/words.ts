/** `$NAME`, `${NAME:-other}`; not `${NAME:+set}`, `${#NAME}` or `${NAME:0:4}`, which show hardly more than that it is there. */
const VARIABLE = () =>
  /\$(?:env:)?([A-Za-z_]\w*)|\$\{!?([A-Za-z_]\w*)(?:\[[^\]]*\])?(?:\}|:?[-=?]|[%/^,#@]|:\d+(?:\}|:(?:[89]|\d\d)))/giu;
/** Nobody types more into one word. */
const LONGEST = 20_000;

/** The variables whose values are in a word. */
export function variablesIn(word: string): string[] {
  return word.includes("$") ? [...word.matchAll(VARIABLE())].map(([, plain, braced]) => plain ?? braced ?? "") : [];
}

/** The texts of the commands whose output is in a word: `$(…)`, backquotes, `<(…)`. */
export function substitutionsIn(word: string): string[] {
  return innerTexts(word, /(?<!\\)(?:[$<]\((?!\()|`)/gu);
}

/** The texts of the commands that read what is written to a word: `>(…)`. */
export function readersIn(word: string): string[] {
  return innerTexts(word, />\(/gu);
}

function innerTexts(word: string, opening: RegExp): string[] {
  if (word.length > LONGEST || !/[(`]/u.test(word)) return [];
  const texts: string[] = [];
  for (let found = opening.exec(word); found !== null; found = opening.exec(word)) {
    const from = opening.lastIndex;
    const end = found[0] === "`" ? word.indexOf("`", from) : closing(word, from);
    if (end < 0) break;
    texts.push(word.slice(from, end));
    opening.lastIndex = end + 1;
  }
  return texts;
}

function closing(word: string, from: number): number {
  let open = 1;
  for (let at = from; at < word.length; at++) {
    if (word[at] === "(") open++;
    else if (word[at] === ")" && --open === 0) return at;
  }
  return -1;
}
