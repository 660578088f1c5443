/** One step of a glob: a character, one of several, any number of characters within a segment, or across segments. */
type Step =
  | { is: "character"; character: string }
  | { is: "one-of"; ranges: readonly (readonly [from: string, to: string])[]; isNegated: boolean }
  | { is: "any" }
  | { is: "within" }
  | { is: "across" };

/** What keeps a text from being a glob, as the end of a sentence. */
export class PolytokenGlobFault extends Error {}

const MOST_CHARACTERS = 1024;
const MOST_ALTERNATIVES = 64;

/**
 * A shell glob as a test of a whole subject, case-sensitive: `*` within a segment, `**` across segments, `?` one character,
 * `[a-z]` and `[!a-z]`, `{a,b}`, and `\` before a character that means itself. Throws a `GlobFault` for what cannot be parsed,
 * and for what no subject matches. Its cost is bounded by the lengths of glob and subject multiplied.
 */
export function compilePolytokenGlob(glob: string): (subject: string) => boolean {
  if (glob === "") throw new PolytokenGlobFault("it is empty, so it would never match");
  if (glob.length > MOST_CHARACTERS) throw new PolytokenGlobFault(`it has more than ${MOST_CHARACTERS} characters`);
  const alternatives = expandBraces([...glob]).map(readSteps);
  return (subject) => alternatives.some((steps) => matches(steps, [...subject]));
}

/** The glob with its braces written out. */
function expandBraces(characters: readonly string[]): string[][] {
  const open = findUnescaped(characters, 0, "{");
  const stray = findUnescaped(characters, 0, "}");
  if (stray >= 0 && (open < 0 || stray < open)) throw new PolytokenGlobFault("a `}` has no `{`");
  if (open < 0) return [[...characters]];
  const choices: string[][] = [[]];
  let depth = 1;
  let at = open + 1;
  for (; depth > 0; at++) {
    const character = characters[at];
    if (character === undefined) throw new PolytokenGlobFault("a `{` is not closed");
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    if (depth === 0) break;
    if (character === "," && depth === 1) choices.push([]);
    else choices.at(-1)?.push(character, ...(character === "\\" ? characters.slice(++at, at + 1) : []));
  }
  const head = characters.slice(0, open);
  const tail = characters.slice(at + 1);
  const expanded = choices.flatMap((choice) => expandBraces([...head, ...choice, ...tail]));
  if (expanded.length > MOST_ALTERNATIVES)
    throw new PolytokenGlobFault(`its braces stand for more than ${MOST_ALTERNATIVES}`);
  return expanded;
}

/** Where a character stands that is neither escaped nor in brackets; -1: nowhere. */
function findUnescaped(characters: readonly string[], from: number, wanted: string): number {
  for (let at = from; at < characters.length; at++) {
    if (characters[at] === "\\") at += 1;
    else if (characters[at] === "[") at = endOfClass(characters, at);
    else if (characters[at] === wanted) return at;
  }
  return -1;
}

/** A bracket right behind the opening one, or behind its `!`, is one of the characters. */
function endOfClass(characters: readonly string[], open: number): number {
  const first = characters[open + 1] === "!" || characters[open + 1] === "^" ? open + 2 : open + 1;
  const end = characters.indexOf("]", first + 1);
  if (end < 0) throw new PolytokenGlobFault("a `[` is not closed");
  return end;
}

function readSteps(characters: readonly string[]): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    if (character === "\\") steps.push(literal(characters[++at]));
    else if (character === "?") steps.push({ is: "any" });
    else if (character === "[") {
      const end = endOfClass(characters, at);
      steps.push(readClass(characters.slice(at + 1, end)));
      at = end;
    } else if (character !== "*") steps.push({ is: "character", character });
    else {
      const isAcross = characters[at + 1] === "*";
      while (characters[at + 1] === "*") at += 1;
      steps.push({ is: isAcross ? "across" : "within" });
    }
  }
  return steps;
}

function literal(character: string | undefined): Step {
  if (character === undefined) throw new PolytokenGlobFault("it ends with `\\`, behind which a character is missing");
  return { is: "character", character };
}

function readClass(inside: readonly string[]): Step {
  const isNegated = inside[0] === "!" || inside[0] === "^";
  const rest = isNegated ? inside.slice(1) : inside;
  const ranges: [string, string][] = [];
  for (let at = 0; at < rest.length; at++) {
    const from = rest[at] ?? "";
    const to = rest[at + 1] === "-" ? rest[at + 2] : undefined;
    if (to === undefined) {
      ranges.push([from, from]);
      continue;
    }
    if (from > to) throw new PolytokenGlobFault(`the range \`${from}-${to}\` is empty`);
    ranges.push([from, to]);
    at += 2;
  }
  return { is: "one-of", ranges, isNegated };
}

/** Walks the subject with the set of all steps that can be next, so that no glob makes it try again. */
function matches(steps: readonly Step[], subject: readonly string[]): boolean {
  let next = openSteps(steps, [0]);
  for (const character of subject) {
    const reached = next.flatMap((at) => {
      const step = steps[at];
      if (step === undefined || !accepts(step, character)) return [];
      return step.is === "within" || step.is === "across" ? [at] : [at + 1];
    });
    next = openSteps(steps, reached);
    if (next.length === 0) return false;
  }
  return next.includes(steps.length);
}

/** These steps, and those that can be had behind a star that takes nothing. */
function openSteps(steps: readonly Step[], reached: readonly number[]): number[] {
  const open = new Set<number>();
  for (let at of reached) {
    open.add(at);
    for (let step = steps[at]; step?.is === "within" || step?.is === "across"; step = steps[at]) open.add(++at);
  }
  return [...open];
}

function accepts(step: Step, character: string): boolean {
  switch (step.is) {
    case "character":
      return step.character === character;
    case "one-of":
      return (
        character !== "/" && step.ranges.some(([from, to]) => from <= character && character <= to) !== step.isNegated
      );
    case "any":
    case "within":
      return character !== "/";
    case "across":
      return true;
  }
}
