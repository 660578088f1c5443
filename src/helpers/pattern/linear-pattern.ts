import { type Assertion, type CharacterTest, IS_WORD, PatternFault, type PatternNode, readPattern } from "./syntax.ts";

/** A regular expression whose search time is proportional to the text, even if its author or the text is malicious. */
export interface LinearPattern {
  source: string;
  /** Whether it matches anywhere; "undecided" if that would take too many steps. */
  search(text: string): boolean | "undecided";
}

type Step =
  | { kind: "character"; test: CharacterTest; next: number }
  | { kind: "assertion"; what: Assertion; next: number }
  | { kind: "fork"; first: number; second: number }
  | { kind: "found" };

const MOST_PROGRAM = 5_000;
const MOST_STEPS = 5_000_000;
const LONGEST_SOURCE = 10_000;

/**
 * Compiles the syntax of Rust's `regex`. Throws a `PatternFault` for anything else, and for patterns that are too
 * large.
 */
export function compileLinear(source: string): LinearPattern {
  if (source.length > LONGEST_SOURCE) throw new PatternFault(`it is longer than ${LONGEST_SOURCE} characters`);
  return { source, search: compileTree(readPattern(source)) };
}

/** The same for a pattern that was read from another syntax. */
export function compileTree(tree: PatternNode): LinearPattern["search"] {
  const program: Step[] = [{ kind: "found" }];
  const start = emit(tree, 0, program);
  return (text) => search(program, start, text);
}

/** Appends the steps of a node, which continue at `next`; returns the first of them. */
function emit(node: PatternNode, next: number, program: Step[]): number {
  if (node.kind === "character" || node.kind === "assertion") return push(program, { ...node, next });
  if (node.kind === "sequence") return node.parts.reduceRight((after, part) => emit(part, after, program), next);
  if (node.kind === "repeat") return emitRepeat(node, next, program);
  const starts = node.parts.map((part) => emit(part, next, program));
  return starts.reduceRight((second, first) => push(program, { kind: "fork", first, second }));
}

function emitRepeat(
  { part, least, most }: Extract<PatternNode, { kind: "repeat" }>,
  next: number,
  program: Step[],
): number {
  let start = next;
  if (most === Number.POSITIVE_INFINITY) {
    const loop = push(program, { kind: "fork", first: next, second: next });
    program[loop] = { kind: "fork", first: emit(part, loop, program), second: next };
    start = loop;
  } else {
    for (let optional = least; optional < most; optional++) {
      start = push(program, { kind: "fork", first: emit(part, start, program), second: next });
    }
  }
  for (let needed = 0; needed < least; needed++) start = emit(part, start, program);
  return start;
}

function push(program: Step[], step: Step): number {
  if (program.length >= MOST_PROGRAM) throw new PatternFault("it is too large with its repetitions");
  return program.push(step) - 1;
}

/**
 * Follows all paths at once, so that none is followed twice: at each character it has a list of places in the program.
 */
function search(program: readonly Step[], start: number, text: string): boolean | "undecided" {
  const spread = createSpread(program);
  let places: number[] = [];
  let before = -1;
  let left = MOST_STEPS;
  for (let at = 0; ; ) {
    const after = text.codePointAt(at) ?? -1;
    places.push(start);
    const reached = spread(places, { before, after });
    if (reached === "found") return true;
    if (after === -1) return false;
    left -= reached.length;
    if (left <= 0) return "undecided";
    places = [];
    for (const place of reached) {
      const step = program[place];
      if (step?.kind === "character" && step.test(after)) places.push(step.next);
    }
    before = after;
    at += after > 0xffff ? 2 : 1;
  }
}

interface Neighbours {
  /** The characters around it; -1 at the ends of the text. */
  before: number;
  after: number;
}

/** Returns every place that can be reached without reading a character, each once. */
function createSpread(program: readonly Step[]): (open: number[], around: Neighbours) => readonly number[] | "found" {
  const seenIn = new Uint32Array(program.length);
  let round = 0;
  return (open, around) => {
    round++;
    const reached: number[] = [];
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (seenIn[place] === round) continue;
      seenIn[place] = round;
      reached.push(place);
      const step = program[place];
      if (step?.kind === "found") return "found";
      if (step?.kind === "fork") open.push(step.first, step.second);
      if (step?.kind === "assertion" && holds(step.what, around)) open.push(step.next);
    }
    return reached;
  };
}

const NEWLINE = 10;

function holds(what: Assertion, { before, after }: Neighbours): boolean {
  if (what === "text-start") return before === -1;
  if (what === "text-end") return after === -1;
  if (what === "line-start") return before === -1 || before === NEWLINE;
  if (what === "line-end") return after === -1 || after === NEWLINE;
  const isBoundary = isWord(before) !== isWord(after);
  return what === "word" ? isBoundary : !isBoundary;
}

function isWord(point: number): boolean {
  return point !== -1 && IS_WORD(point);
}
