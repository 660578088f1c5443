import type { Scan } from "./scan.ts";

/** Variables of which several texts are possible, or loops, at once. */
const MOST_OPEN = 20;
/** Of the texts that one variable may hold: of more, nobody knows which. */
const MOST_TEXTS = 64;
/** Names that say what is in them, unless the text itself sets them. */
const SPEAKING = /^(?:HOME|PWD|OLDPWD)$|TMP|TEMP|BUILD|DIST|OUT|CACHE|COVERAGE/iu;

/** The assignments that may not have happened: those behind `&&` and `||`, and those in a branch or a loop. */
export type Possible = Map<string, readonly string[]>;

/** A variable holds one of these texts from now on. Of several, each is read in a round of its own, like a loop's. */
export function hold(scan: Scan, name: string, texts: readonly string[]): void {
  const [first, ...others] = new Set(texts);
  if (first === undefined) return;
  if (scan.loops.some((loop) => loop.name === name)) scan.loops = scan.loops.filter((loop) => loop.name !== name);
  if (others.length === 0) scan.variables.set(name, first);
  else if (others.length >= MOST_TEXTS) scan.variables.set(name, unknown(name));
  else {
    scan.variables.delete(name);
    scan.loops = [...scan.loops.slice(-MOST_OPEN), { name, values: [first, ...others] }];
  }
}

/** Only running the text shows what the variable holds from now on. */
export function forget(scan: Scan, name: string): void {
  scan.loops = scan.loops.filter((loop) => loop.name !== name);
  if (SPEAKING.test(name)) scan.variables.set(name, unknown(name));
  else scan.variables.delete(name);
}

/** A text that stands for any: what is possible beside it doesn't make it known. */
function unknown(name: string): string {
  return `$(read ${name})`;
}

/** What a variable may hold; empty: the text doesn't say. */
function heldBy({ loops, variables }: Pick<Scan, "loops" | "variables">, name: string): readonly string[] {
  const text = variables.get(name);
  return text !== undefined ? [text] : (loops.findLast((loop) => loop.name === name)?.values ?? []);
}

/** Notes what a variable held before an assignment that may not happen, and what it holds then. */
export function notePossible(possible: Possible, scan: Scan, name: string, text: string): void {
  const before = heldBy(scan, name);
  possible.set(name, [...(possible.get(name) ?? (before.length === 0 ? [asItIs(name)] : before)), text]);
}

/** What the environment holds, which the text doesn't say. */
function asItIs(name: string): string {
  return `$${name}`;
}

/** After a list or a group: its assignments may have happened or not. */
export function settle(scan: Scan, possible: Possible): void {
  for (const [name, [before = "", ...texts]] of possible) {
    // Where several branches set it, one of them does.
    const isSet = before === asItIs(name) && texts.length > 1;
    hold(scan, name, [...(isSet ? [] : [before]), ...texts, ...heldBy(scan, name)]);
  }
  possible.clear();
}

/** What printf prints: its format, repeated while arguments are left. Escapes stay as they are written. */
export function printfText([format = "", ...given]: readonly string[]): string {
  const places = format.match(/%[sbd]/gu)?.length ?? 0;
  if (places === 0) return [format, ...given].join(" ");
  const left = [...given];
  const rounds = Array.from({ length: Math.max(1, Math.ceil(given.length / places)) });
  return rounds.map(() => format.replace(/%[sbd]/gu, () => left.shift() ?? "")).join("");
}
