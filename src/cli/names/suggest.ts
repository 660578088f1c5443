import { distance, isNear, shellQuote } from "../../kernel/text.ts";
import { findCommand, isTopic, type Names, wordsOf } from "./names.ts";

interface Candidate {
  words: string[];
  /** How many of the typed words it replaces. */
  takes: number;
  cost: number;
}

/** What people type for a command that has another name. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ["enable", "trust"],
  ["approve", "trust"],
  ["disable", "pause --minutes 30"],
  ["undo", "card untrust"],
  ["revoke", "card untrust"],
  ["vendor", "install --vendor"],
  ["rm", "remove"],
  ["upgrade", "update"],
]);

/** A command found by its last word alone is suggested only if nothing that begins like the typed line comes near. */
const MISPLACED = 10;

/** The words that were probably meant, without the rest of the line, and how many typed words they replace. */
export function suggestCommand(
  argv: readonly string[],
  { names, visible }: { names: Names; visible: ReadonlySet<string> },
): { words: string[]; takes: number } | undefined {
  const typed = wordsOf(argv);
  const meant = MEANT.get(typed[0] ?? "");
  if (meant !== undefined) return { words: meant.split(" "), takes: 1 };
  if (typed.length === 0) return undefined;
  const isFirstWord = Object.keys(names).some((name) => name.split(":")[0] === typed[0]);
  const candidates = Object.keys(names).flatMap((name) => [
    ...inPlace(typed, name.split(":")),
    ...misplaced(typed, name.split(":"), isFirstWord),
  ]);
  const topics = topicsOf(names).flatMap((topic) => inPlace(typed, topic));
  const rank = ({ words, takes, cost }: Candidate): number[] => [cost, -takes, visible.has(words.join(":")) ? 0 : 1];
  const answers = candidates.filter(({ words, takes }) => findCommand([...words, ...typed.slice(takes)], names));
  const found = [...answers, ...topics.filter(({ takes }) => takes === typed.length)];
  return found.sort((left, right) => compare(rank(left), rank(right)))[0];
}

function inPlace(typed: readonly string[], words: string[]): Candidate[] {
  if (words.length > typed.length || !words.every((word, at) => isNear(typed[at] ?? "", word))) return [];
  const cost = words.reduce((sum, word, at) => sum + distance(typed[at] ?? "", word), 0);
  return [{ words, takes: words.length, cost }];
}

/**
 * `publish` for `card publish`. A correctly spelt word that begins no command costs nothing: `untrust` means `card
 * untrust`, not `trust`.
 */
function misplaced(typed: readonly string[], words: string[], isFirstWord: boolean): Candidate[] {
  const [first = "", second = ""] = typed;
  const last = words.at(-1) ?? "";
  // `card add-hook` for `card source add-hook`.
  if (words.length > 2 && typed.length > 1 && first === words[0] && isNear(second, last))
    return [{ words, takes: 2, cost: distance(second, last) }];
  // `hook explain` for `explain`.
  if (words.length === 1 && typed.length > 1 && second === last) return [{ words, takes: 2, cost: MISPLACED }];
  if (words.length < 2 || !isNear(first, last)) return [];
  const slips = distance(first, last);
  return [{ words, takes: 1, cost: slips === 0 && !isFirstWord ? 0 : slips + MISPLACED }];
}

function topicsOf(names: Names): string[][] {
  const prefixes = Object.keys(names).flatMap((name) => {
    const words = name.split(":");
    return words.slice(1).map((_, at) => words.slice(0, at + 1).join(":"));
  });
  return [...new Set(prefixes)].filter((name) => isTopic(name, names)).map((name) => name.split(":"));
}

function compare(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

/** The flags of a command, as far as their spelling goes. */
export type KnownFlags = Readonly<Record<string, object & { allowNo?: boolean }>>;

/** The line with its flags corrected; undefined if one of them resembles no flag of the command. */
export function correctFlags(argv: readonly string[], flags: KnownFlags): readonly string[] | undefined {
  const known = Object.entries(flags).flatMap(([name, { allowNo }]) => (allowNo ? [name, `no-${name}`] : [name]));
  let isEnded = false;
  const corrected = argv.map((word) => {
    isEnded ||= word === "--";
    const [, name = "", value = ""] = /^--([^=]+)(=.*)?$/su.exec(word) ?? [];
    if (isEnded || name === "" || known.includes(name)) return word;
    const meant = nearest(name, known);
    return meant === undefined ? undefined : `--${meant}${value}`;
  });
  return corrected.every((word) => word !== undefined) ? corrected : undefined;
}

/** The line with this value corrected: each of several that a comma divides gets a flag of its own. */
export function correctValue(
  argv: readonly string[],
  value: string,
  options: readonly string[],
): readonly string[] | undefined {
  const meant = value.split(",").flatMap((one) => nearest(one, options) ?? []);
  if (meant.length < value.split(",").length) return undefined;
  return argv.flatMap((word, at) => {
    if (word === value) return meant.flatMap((one, index) => (index === 0 ? [one] : [argv[at - 1] ?? "", one]));
    const isGiven = word.startsWith("-") && word.endsWith(`=${value}`);
    return isGiven ? meant.map((one) => `${word.slice(0, -value.length)}${one}`) : [word];
  });
}

function nearest(word: string, among: readonly string[]): string | undefined {
  const near = among.filter((one) => isNear(word, one));
  if (near.length > 0) return near.sort((left, right) => distance(word, left) - distance(word, right))[0];
  const longer = among.filter((one) => one.startsWith(`${word}-`));
  // `denied` for `deny`, but not `version` for `verbose`.
  const begins = (one: string) => one.startsWith(word.slice(0, Math.max(3, Math.ceil(word.length / 2))));
  const found = longer.length > 0 ? longer : among.filter(begins);
  return found.length === 1 ? found[0] : undefined;
}

/** A line that can be pasted into a shell. */
export function toLine(words: readonly string[]): string {
  return ["drwn", ...words].map((word) => (word === "<card>" ? word : shellQuote(word))).join(" ");
}
