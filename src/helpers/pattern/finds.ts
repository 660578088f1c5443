/** An alternative of a pattern that is a plain text, perhaps with a word boundary on either side. */
const PLAIN = /^(\\b)?((?:[\w !"#%&',\-:;<=>@~]|\\[./|])+?)(\\b)?$/;

/** A pattern of nothing but words. */
const PLAIN_WORDS = /^[\w |/"#%&',:;<=>@~!-]+$/;

/**
 * The same as `pattern.test(text)`, for a pattern that is used once: V8 takes longer to compile thirty alternatives
 * than to search for each of them.
 */
export function finds(pattern: RegExp, text: string): boolean {
  const { source, flags } = pattern;
  // Outside ASCII, one letter may have several counterparts in the other case.
  if ((flags !== "" && flags !== "i") || !/^[\0-\x7f]*$/.test(text)) return pattern.test(text);
  const isAnyCase = flags === "i";
  const looked = isAnyCase ? text.toLowerCase() : text;
  const others: string[] = [];
  if (PLAIN_WORDS.test(source))
    return (isAnyCase ? source.toLowerCase() : source).split("|").some((word) => looked.includes(word));
  for (const alternative of alternativesOf(source)) {
    if (/^\w+$/.test(alternative)) {
      if (looked.includes(isAnyCase ? alternative.toLowerCase() : alternative)) return true;
      continue;
    }
    const [, before, written, after] = PLAIN.exec(alternative) ?? [];
    if (written === undefined) {
      others.push(alternative);
      continue;
    }
    const plain = written.replaceAll("\\", "");
    const word = isAnyCase ? plain.toLowerCase() : plain;
    if (hasWord(looked, word, { before: before !== undefined, after: after !== undefined })) return true;
  }
  return others.length > 0 && new RegExp(others.join("|"), flags).test(text);
}

function alternativesOf(source: string): string[] {
  const found: string[] = [];
  let open: string | undefined;
  for (const part of source.split("|")) {
    const whole: string = open === undefined ? part : `${open}|${part}`;
    open = isWhole(whole) ? undefined : whole;
    if (open === undefined) found.push(whole);
  }
  return open === undefined ? found : [source];
}

/**
 * Whether a part of a pattern that was split at each `|` is a whole alternative, not cut in a group, in a class or
 * after a backslash.
 */
function isWhole(alternative: string): boolean {
  if (!/[()[\\]/.test(alternative)) return true;
  const bare = alternative.replace(/\\./gs, "").replace(/\[[^\]]*\]/g, "");
  return !/[[\\]/.test(bare) && bare.split("(").length === bare.split(")").length;
}

interface Edges {
  before: boolean;
  after: boolean;
}

function hasWord(text: string, word: string, { before, after }: Edges): boolean {
  if (!before && !after) return text.includes(word);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if ((!before || isEdge(text, at)) && (!after || isEdge(text, at + word.length))) return true;
  }
  return false;
}

function isEdge(text: string, at: number): boolean {
  return /\w/.test(text.charAt(at - 1)) !== /\w/.test(text.charAt(at));
}
