import { type Options, withoutDashes } from "./options.ts";

/** A phrase of the table, ready to be compared. */
export interface Phrase {
  isCertain: boolean;
  /** Whether the words begin as the phrase does, and its options are there. */
  matches(words: readonly string[], options: Pick<Options, "has" | "values">): boolean;
}

const phrases = new Map<string, Phrase>();

export function phraseOf(text: string): Phrase {
  const known = phrases.get(text);
  if (known !== undefined) return known;
  const isCertain = !text.startsWith("?");
  const tokens = (isCertain ? text : text.slice(1)).split(" ");
  const isOption = (token: string) => token.startsWith("-") || token.startsWith("!-");
  const options = tokens.filter(isOption);
  const words = tokens.filter((token) => !isOption(token));
  const phrase: Phrase = {
    isCertain,
    matches: (given, taken) => begins(words, given) && options.every((option) => holds(option, taken)),
  };
  phrases.set(text, phrase);
  return phrase;
}

/** More words than any subcommand has. */
const MOST_WORDS = 8;

function begins(tokens: readonly string[], given: readonly string[]): boolean {
  const [token, ...rest] = tokens;
  if (token === undefined) return true;
  if (token === "**") {
    for (let from = 0; from <= Math.min(given.length, MOST_WORDS); from++)
      if (begins(rest, given.slice(from))) return true;
    return false;
  }
  const [word, ...more] = given;
  return (
    word !== undefined &&
    (token.includes("\\") ? token.split(/(?<!\\)\//) : token.split("/")).some((one) =>
      isWord(one.replaceAll("\\", ""), word),
    ) &&
    begins(rest, more)
  );
}

function isWord(token: string, word: string): boolean {
  if (!token.includes("*")) return token === word;
  const parts = token.split("*");
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (!word.startsWith(first) || !word.endsWith(last) || word.length < first.length + last.length) return false;
  return parts.length < 3 || word.includes(parts[1] ?? "");
}

/** `-v`, `-f/--force`, `--replicas=0`, `!--all`. */
function holds(option: string, { has, values }: Pick<Options, "has" | "values">): boolean {
  const isNegated = option.startsWith("!");
  const isGiven = (isNegated ? option.slice(1) : option).split("/").some((one) => {
    const [written = "", ...rest] = one.split("=");
    const name = withoutDashes(written);
    const value = rest.join("=").toLowerCase();
    return rest.length === 0
      ? has(name) && !values(name).includes("false")
      : values(name).some((given) => isWord(value, given.toLowerCase()));
  });
  return isGiven !== isNegated;
}
