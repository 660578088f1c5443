import { readAnsiQuoted } from "./ansi-quoted.ts";
import { expandBraces } from "./braces.ts";
import { inQuotes } from "./marks.ts";
import { addPart, deeper, isAt, peek, type Scan, take, UnbalancedCommand, UnreadableCommand } from "./scan.ts";
import type { Expansion, Inside, Parameter, Part, Quoted, Substitution, Word } from "./syntax.ts";

/** Unicode's other blanks aren't blanks for a shell. */
const PLAIN = /[^ \t\r\n;&|()<>\\'"$`]+/y;
const ENDS = /[ \t\r\n;&|()<>]/;
/** `a=(b c)`, as opposed to a function or a subshell. */
const LIST = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=$/;

/**
 * Reads the word that begins here. `isFirst`: it may be a program's name, so `!(` isn't a pattern. `isCompared`: its patterns find no files.
 */
export function readWord(scan: Scan, isFirst: boolean, isCompared = false): Word {
  const start = scan.at;
  const parts: Part[] = [];
  while (scan.at < scan.text.length) {
    const here = peek(scan);
    if (here === "(" && LIST.test(scan.text.slice(start, scan.at))) {
      const list = readList(scan);
      return { source: scan.text.slice(start, scan.at), parts, list };
    }
    if (here === "(" && takesParentheses(scan, start, isFirst)) addPattern(scan, parts, isCompared);
    else if (/[<>]/.test(here) && peek(scan, 1) === "(") parts.push(readProcess(scan));
    else if (here === "=" && scan.at === start && peek(scan, 1) === "(") parts.push(readProcess(scan));
    else if (ENDS.test(here)) break;
    else readPart(scan, parts);
  }
  return { source: scan.text.slice(start, scan.at), parts };
}

function readPart(scan: Scan, parts: Part[]): void {
  const here = peek(scan);
  const next = peek(scan, 1);
  if (here === "\\") {
    if (next === "\r" && peek(scan, 2) === "\n") scan.at++;
    else if (next !== "\n") addPart(parts, inQuotes(next));
    scan.at += 2;
  } else if (here === "'") addQuoted(parts, readLiteral(scan));
  else if (here === '"' || (here === "$" && next === '"')) parts.push(readQuoted(scan));
  else if (here === "$" && next === "'") addQuoted(parts, readAnsiQuoted(scan));
  else if (here === "$" || here === "`") addExpansion(scan, parts, false);
  else addPart(parts, take(scan, PLAIN) ?? "");
}

/** An empty text in quotes is a word, too. */
function addQuoted(parts: Part[], text: string): void {
  if (text === "") parts.push({ kind: "quoted", parts: [] });
  else addPart(parts, inQuotes(text));
}

/** Reads `"…"`. */
function readQuoted(scan: Scan): Quoted {
  scan.at += peek(scan) === "$" ? 2 : 1;
  const parts: Part[] = [];
  while (peek(scan) !== '"') {
    const here = peek(scan);
    if (here === "") throw new UnbalancedCommand("a double quote is not closed");
    readInQuotes(scan, parts);
  }
  scan.at++;
  return { kind: "quoted", parts };
}

function readInQuotes(scan: Scan, parts: Part[], others = '"'): void {
  const here = peek(scan);
  const next = peek(scan, 1);
  if (here === "\\" && next !== "" && `$\`\\\n${others}`.includes(next)) {
    if (next !== "\n") addPart(parts, inQuotes(next));
    scan.at += 2;
  } else if (here === "$" || here === "`") addExpansion(scan, parts, true);
  else addPart(parts, inQuotes(take(scan, /\\|[^"\\$`]+|"/y) ?? ""));
}

/** The parts of a text in which only expansions mean something: a here-document, arithmetic. */
export function partsIn(scan: Scan, text: string): Part[] {
  const inner: Scan = { ...scan, text, at: 0, heredocs: [] };
  const parts: Part[] = [];
  while (inner.at < text.length) readInQuotes(inner, parts, "");
  return parts;
}

function addExpansion(scan: Scan, parts: Part[], isQuoted: boolean): void {
  const found = readExpansion(scan, isQuoted);
  if (found !== null) parts.push(found);
  else {
    addPart(parts, inQuotes("$"));
    scan.at++;
  }
}

/** The text behind the sign of `${x:-text}`, up to the brace that closes it. `isQuoted`: it is in double quotes. */
function readArgument(scan: Scan, isQuoted: boolean, isPattern: boolean): Part[] {
  const parts: Part[] = [];
  while (peek(scan) !== "}") {
    const here = peek(scan);
    if (here === "") throw new UnreadableCommand("a brace is not closed");
    if (here === '"' && (!isQuoted || isPattern)) parts.push(readQuoted(scan));
    else if (here === '"') scan.at++;
    else if (here === "'" && (!isQuoted || isPattern)) addQuoted(parts, readLiteral(scan));
    else if (here === "$" && peek(scan, 1) === "'" && !isQuoted) addQuoted(parts, readAnsiQuoted(scan));
    else if (here === "\\") {
      if (peek(scan, 1) !== "\n") parts.push({ kind: "quoted", parts: [inQuotes(peek(scan, 1))] });
      scan.at += 2;
    } else if (here === "$" || here === "`") addExpansion(scan, parts, isQuoted);
    else addPart(parts, take(scan, /[^}"'\\$`]+|'/y) ?? "");
  }
  scan.at++;
  return parts;
}

/** Reads the text between single quotes, beginning at the first quote. */
function readLiteral(scan: Scan): string {
  const end = scan.text.indexOf("'", scan.at + 1);
  if (end < 0) throw new UnbalancedCommand("a single quote is not closed");
  const inside = scan.text.slice(scan.at + 1, end);
  scan.at = end + 1;
  return inside;
}

/** Whether a parenthesis begins a pattern. zsh's may stand anywhere; at the beginning of a word, `(x y)` is a command for other shells. */
function takesParentheses(scan: Scan, start: number, isFirst: boolean): boolean {
  const before = scan.text.slice(start, scan.at);
  if (isFirst) return /[?*+@!/]$/.test(before) && before !== "!";
  return isAt(scan, before === "" ? /\([^\s()]+\)[^\s;&|()<>]/y : /\((?![ \t]*\))/y);
}

/**
 * What all but some names match is written `*`: bash's `!(a)`, zsh's `^(a)`. zsh's `(N/)` at the end of a word only tests what the word finds;
 * `e` in it runs code, as it does in `?(e:…:)`.
 */
function addPattern(scan: Scan, parts: Part[], isCompared: boolean): void {
  const before = parts.at(-1);
  const sign = typeof before === "string" ? before.slice(-1) : "";
  const { source, ...pattern } = readPattern(scan);
  const isLast = parts.length > 0 && isAt(scan, /[\s;&|()<>]|$/y);
  const isPlain = !isCompared && !/[+@!^]/.test(sign) && !source.replace(IN_QUOTES, "").includes("|");
  const mayTest = isLast && (isPlain || source.startsWith("(#q"));
  const script = mayTest ? codesIn(source).flatMap((code) => scan.parseScript(code, scan.depth + OF_CODE)) : [];
  if (script.length > 0) pattern.parts = [...pattern.parts, { kind: "output", source, script }];
  const isOthers = typeof before === "string" && /[!^]/.test(sign);
  if (isOthers) parts[parts.length - 1] = before.slice(0, -1);
  parts.push({ ...pattern, source: mayTest && sign !== "?" ? "" : isOthers ? "*" : source });
}

/** How deep code in a pattern is: the pattern's own words are read, too, so each level doubles the work. */
const OF_CODE = 50;
const IN_QUOTES = /\\(.)|\$?'([^']*)'|"((?:[^"\\]|\\.)*)"/gsu;
/** A sign that takes a text, with any sign around it; the name of a command; modifiers of names. */
const TESTS =
  /(?:[eP]|f(?![\d=+?-])|[gu](?!\d))(?:\{(.*?)\}|\[(.*?)\]|<(.*?)>|\((.*?)\)|([!-~])(.*?)\5)|\+([A-Za-z_][\w-]*)|(e[^!-~]|:.*)|./gsu;

/** The code that zsh runs for `(e:code:)` and `(+name)`. Throws if other names are made of those that are found. */
function codesIn(source: string): string[] {
  const tests = source.slice(1, -1).replace(IN_QUOTES, (_, one = "", two = "", three = "") => one + two + three);
  return [...tests.matchAll(TESTS)].flatMap(([all, a, b, c, d, , e, name, rest = ""]) => {
    const code = name ?? (all.startsWith("e") ? (a ?? b ?? c ?? d ?? e ?? "") : "");
    if ((all.length > 1 && all.startsWith("P")) || /\breply\+?=/i.test(code) || /^(?:e|:.*[^:aAcPqQlut])/su.test(rest))
      throw new UnreadableCommand("it changes the names that a pattern finds");
    return code === "" ? [] : [code];
  });
}

/** `(b c)`, on any number of lines. */
export function readList(scan: Scan): Word[] {
  const list: Word[] = [];
  scan.at++;
  for (;;) {
    take(scan, /(?:[ \t\r\n]|\\\n|(?<=[\s(])#[^\n]*)*/y);
    if (peek(scan) === "") throw new UnreadableCommand("a parenthesis is not closed");
    if (peek(scan) === ")") break;
    const word = deeper(scan, () => readWord(scan, false));
    if (word.source === "") scan.at++;
    else list.push(...braced(word));
  }
  scan.at++;
  return list;
}

/** The words that its braces make of a word. */
export function braced(word: Word): Word[] {
  const expanded = expandBraces(word.parts);
  return expanded.length === 1 ? [word] : expanded.map((parts) => ({ ...word, parts }));
}

/** An extended pattern, with the words in it. */
function readPattern(scan: Scan): Inside {
  const start = scan.at;
  const parts: Part[] = [];
  scan.at++;
  while (peek(scan) !== ")") {
    if (peek(scan) === "") throw new UnreadableCommand("a parenthesis is not closed");
    const before = scan.at;
    parts.push(...deeper(scan, () => readWord(scan, false, true)).parts);
    if (scan.at === before && peek(scan) === "(") parts.push(deeper(scan, () => readPattern(scan)));
    else if (scan.at === before && peek(scan) !== ")") scan.at++;
  }
  scan.at++;
  return { kind: "pattern", source: scan.text.slice(start, scan.at), parts };
}

function readProcess(scan: Scan): Substitution {
  const start = scan.at;
  scan.at += 2;
  const script = scan.parseUntil(scan);
  return { kind: "process", source: scan.text.slice(start, scan.at), script };
}

const NAME = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;
const BRACED_NAME = /[A-Za-z_]\w*|\d+|[@*#?$!-]/y;
const OPERATOR = /:[-=?+]|[-=?+]|%%?|##?|\/[/#%]?|\^\^?|,,?|@|:/y;
const PATTERN = /^[%#/^,]/;

/** Reads the expansion that begins here, and the commands in it; null: this `$` is an ordinary character. */
function readExpansion(scan: Scan, isQuoted: boolean): Expansion | null {
  const start = scan.at;
  if (peek(scan) === "`") return readBackquotes(scan);
  scan.at++;
  if (peek(scan) === "(") return readParentheses(scan, start);
  if (take(scan, /\{/y) !== null) return deeper(scan, () => readBraces(scan, isQuoted, start));
  if (take(scan, /\[/y) !== null) return readOldArithmetic(scan, start);
  // zsh: `$=x` splits.
  const prefix = isAt(scan, /[=~^][A-Za-z_]/y) ? take(scan, /[=~^]/y) : null;
  const name = take(scan, NAME);
  if (name !== null)
    return {
      kind: "parameter",
      source: since(scan, start),
      name,
      prefix: prefix === "=" ? "=" : "",
      operator: "",
      argument: [],
    };
  scan.at = start;
  return null;
}

/** The place after `((…))`, searched from after its first two parentheses; -1: these are two subshells. */
export function endOfArithmetic({ text }: Scan, from: number): number {
  let depth = 2;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 1) return text[at + 1] === ")" ? at + 2 : -1;
  }
  return -1;
}

function since({ text, at }: Scan, start: number): string {
  return text.slice(start, at);
}

function readParentheses(scan: Scan, start: number): Expansion {
  const end = peek(scan, 1) === "(" ? endOfArithmetic(scan, scan.at + 2) : -1;
  if (end >= 0) {
    const parts = deeper(scan, () => partsIn(scan, scan.text.slice(scan.at + 2, end - 2)));
    scan.at = end;
    return { kind: "arithmetic", source: since(scan, start), parts };
  }
  scan.at++;
  const script = scan.parseUntil(scan);
  return { kind: "output", source: since(scan, start), script };
}

/** `$[1 + 2]` */
function readOldArithmetic(scan: Scan, start: number): Expansion | null {
  const end = scan.text.indexOf("]", scan.at);
  if (end < 0) {
    scan.at = start;
    return null;
  }
  const parts = deeper(scan, () => partsIn(scan, scan.text.slice(scan.at, end)));
  scan.at = end + 1;
  return { kind: "arithmetic", source: since(scan, start), parts };
}

function readBackquotes(scan: Scan): Expansion {
  const start = scan.at;
  if (take(scan, /`(?:[^`\\]|\\[\s\S])*`/y) === null) throw new UnbalancedCommand("a backquote is not closed");
  const source = since(scan, start);
  const inside = source.slice(1, -1).replace(/\\([`$\\])/gu, "$1");
  return { kind: "output", source, script: deeper(scan, () => scan.parseScript(inside, scan.depth)) };
}

/** Reads `${…}` from after its brace. */
function readBraces(scan: Scan, isQuoted: boolean, start: number): Parameter {
  // zsh's flags: `${(f)x}`, `${=x}`.
  const flags = take(scan, /\([^()]*\)/y) ?? "";
  const zsh = take(scan, /[=~^](?=[\w:])/y);
  // `${(P)x}` is bash's `${!x}`.
  const sign = take(scan, /[#!](?=[A-Za-z_0-9@*])/y) ?? (/^\(\w*P/u.test(flags) ? "!" : "");
  const name = take(scan, BRACED_NAME) ?? "";
  const subscript = take(scan, /\[/y) === null ? undefined : readSubscript(scan);
  // `${(f)"$(<x)"}` is that text.
  const operator = flags !== "" && name === "" && peek(scan) !== ":" ? ":-" : (take(scan, OPERATOR) ?? "");
  const argument = readArgument(scan, isQuoted, PATTERN.test(operator));
  return {
    ...{ kind: "parameter", name, prefix: zsh === "=" ? "=" : sign === "#" || sign === "!" ? sign : "" },
    ...{ source: since(scan, start), operator, argument, ...(subscript === undefined ? {} : { subscript }) },
  };
}

function readSubscript(scan: Scan): Part[] {
  const start = scan.at;
  for (let open = 1; open > 0; scan.at++) {
    const here = peek(scan);
    if (here === "") throw new UnreadableCommand("a bracket is not closed");
    if (here === "[") open++;
    else if (here === "]") open--;
  }
  const index = scan.text.slice(start, scan.at - 1);
  return index === "*" ? [index] : partsIn(scan, index);
}
