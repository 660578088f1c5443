import { argumentsIn } from "./functions.ts";
import { deeper, peek, type Scan, scanWithin, take, UnreadableCommand } from "./scan.ts";
import { printfText } from "./values.ts";

/** A part of a word that begins with `$` or a backquote. */
export interface Expansion {
  /** Its value, if an earlier assignment or an `echo` in it shows the value; otherwise as it is written. */
  value: string;
  /** Whether `value` splits into words outside quotes. */
  splits: boolean;
  /** The words that it expands to even in quotes: `"$@"`, `"${list[@]}"`. */
  list?: readonly string[];
}

const NAME = /[A-Za-z_]\w*|[0-9@*]/y;
const BRACED = /\{([A-Za-z_]\w*|[0-9@*])\}/y;
/** The beginning of `${NAME:-other}`, `${NAME:?message}`, `${NAME%/*}`. */
const CHANGED = /\{([A-Za-z_]\w*|\d+)(:?[-=?+]|%%?|##?)/y;

/** Nobody trims more. */
const LONGEST_TRIMMED = 300;

/** Reads the expansion that begins here, and the commands in it; null: this `$` is an ordinary character. */
export function readExpansion(scan: Scan, isQuoted: boolean): Expansion | null {
  const start = scan.at;
  if (peek(scan) === "`") return readBackquotes(scan);
  scan.at++;
  const known = take(scan, BRACED) ?? take(scan, NAME);
  if (known !== null) return expansionOf(scan, known.replace(/^\{|\}$/gu, ""), start);
  if (peek(scan) === "(") return readParentheses(scan, start);
  const changed = take(scan, CHANGED);
  if (changed !== null) return changedBy(scan, changed, isQuoted, start);
  const named = take(scan, /\{!?[A-Za-z_]\w*(?:\[[@*]\])?\}/y);
  if (named !== null) return named.startsWith("{!") ? namedBy(scan, named, start) : listIn(scan, named, start);
  if (take(scan, /\{/y) !== null) readBraces(scan, isQuoted);
  else if (take(scan, /[#?$!-]/y) === null) {
    scan.at = start;
    return null;
  }
  return written(scan, start);
}

/** Reads the expansions in a text: in double quotes, in an arithmetic expression, in a here-document. */
export function readExpansionsIn(outer: Scan, text: string): void {
  const scan = scanWithin(outer, text);
  while (scan.at < text.length) {
    if (peek(scan) === "\\") scan.at += 2;
    else if (!/[$`]/u.test(peek(scan)) || readExpansion(scan, true) === null) scan.at++;
  }
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

function expansionOf(scan: Scan, name: string, start: number): Expansion {
  const value = scan.variables.get(name);
  if (value === undefined) return written(scan, start);
  if (name === "@") return { value, splits: true, list: argumentsIn(scan.variables) };
  // bash gives the first element of an array, zsh all of them.
  return { value: /^\([\s\S]*\)$/u.test(value) ? elementsOf(value).join(" ") : value, splits: true };
}

/** If nobody knows the variable, the result says both texts that it may be: `${NAME:-other}`, with the value of `other`. */
function changedBy(scan: Scan, changed: string, isQuoted: boolean, start: number): Expansion {
  const [, name = "", operator = ""] = /^\{(\w+)(\W+)$/u.exec(changed) ?? [];
  const source = readBraces(scan, isQuoted);
  const other = source.replaceAll('"', "");
  const value = scan.variables.get(name);
  if (operator.startsWith("%") && other === "/" && value === undefined) return { value: `$${name}`, splits: false };
  if (/^[%#]/u.test(operator)) return value === undefined ? written(scan, start) : trimmed(value, operator, other);
  const isGiven = value !== undefined && !(operator.startsWith(":") && value === "");
  const sign = operator.slice(-1);
  if (isGiven && sign !== "+") return expansionOf(scan, name, start);
  if (isGiven || (value !== undefined && sign !== "+")) return { value: other, splits: true };
  if (value !== undefined) return { value: "", splits: true };
  if (sign === "?") return { value: `$${name}`, splits: false };
  const both = `\${${name}${operator}${source}}`;
  if (sign === "=") scan.variables.set(name, both);
  return { value: both, splits: false };
}

/** `${NAME%/*}` and its like. A text that only running it shows keeps its unknown end or beginning. */
function trimmed(value: string, operator: string, pattern: string): Expansion {
  const isEnd = operator.startsWith("%");
  if (/[$`[\\]|\*.*\*.*\*/u.test(pattern) || /[$`][^/]*$/u.test(isEnd ? value : "") || (!isEnd && /^[$`]/u.test(value)))
    return { value: `$(${value}${operator}${pattern})`, splits: false };
  const glob = [...pattern].map((sign) =>
    sign === "*" ? "[^]*" : sign === "?" ? "[^]" : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  );
  const fits = new RegExp(`^${glob.join("")}$`, "u");
  const lengths = Array.from({ length: Math.min(value.length, LONGEST_TRIMMED) + 1 }, (_, length) => length);
  if (operator.length > 1) lengths.reverse();
  const cut = lengths.find((length) => fits.test(isEnd ? value.slice(value.length - length) : value.slice(0, length)));
  const kept = isEnd ? value.slice(0, value.length - (cut ?? 0)) : value.slice(cut ?? 0);
  return { value: kept, splits: true };
}

/** `${!name}` is the variable whose name is the value of `name`. */
function namedBy(scan: Scan, named: string, start: number): Expansion {
  const other = scan.variables.get(named.slice(2, -1));
  if (other === undefined || !/^[A-Za-z_]\w*$/u.test(other)) return written(scan, start);
  return { value: scan.variables.get(other) ?? `$${other}`, splits: true };
}

/** `${list[@]}`, if `list=(a b)` is before it. */
function listIn(scan: Scan, named: string, start: number): Expansion {
  const value = scan.variables.get(/\w+/u.exec(named)?.[0] ?? "");
  if (value === undefined || !/^\([\s\S]*\)$/u.test(value)) return written(scan, start);
  const list = elementsOf(value);
  return { value: list.join(" "), splits: true, list };
}

/** The words of `(a "b c")`. */
function elementsOf(value: string): string[] {
  const words: readonly string[] = value.slice(1, -1).match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/gu) ?? [];
  return words.map((word) => word.replace(/["']/gu, ""));
}

function written({ text, at }: Scan, start: number): Expansion {
  return { value: text.slice(start, at), splits: false };
}

function readParentheses(scan: Scan, start: number): Expansion {
  const end = peek(scan, 1) === "(" ? endOfArithmetic(scan, scan.at + 2) : -1;
  if (end >= 0) {
    readExpansionsIn(scan, scan.text.slice(scan.at + 2, end - 2));
    scan.at = end;
    return written(scan, start);
  }
  scan.at++;
  const before = scan.found.length;
  readSubstitution(scan);
  capture(scan, before);
  return printed(scan, before) ?? written(scan, start);
}

/** The value of a substitution whose only command prints its own words; null: only running it shows the value. */
function printed({ found }: Scan, before: number): Expansion | null {
  const [command, ...others] = found.slice(before);
  if (command === undefined || others.length > 0 || command.redirections.length > 0) return null;
  const [program, ...words] = command.words;
  if (program !== "echo" && program !== "printf") return null;
  if (program === "printf") return { value: printfText(words), splits: true };
  return { value: words.join(" ").replace(/^(?:-[neE]+(?: |$))+/u, ""), splits: true };
}

/** Notes that what these commands print goes to the command around them. */
export function capture({ found }: Scan, from: number): void {
  for (const command of found.slice(from)) command.isCaptured = true;
}

/** Reads commands from after an opening parenthesis up to the closing one. */
export function readSubstitution(scan: Scan): void {
  const inner = { ...deeper(scan), heredocs: [] };
  scan.readScript(inner, ")");
  scan.at = inner.at;
}

function readBackquotes(scan: Scan): Expansion {
  const start = scan.at;
  if (take(scan, /`(?:[^`\\]|\\[\s\S])*`/y) === null) throw new UnreadableCommand("a backquote is not closed");
  const inside = scan.text.slice(start + 1, scan.at - 1).replace(/\\([`$\\])/gu, "$1");
  const before = scan.found.length;
  scan.readScript(scanWithin(scan, inside), "");
  capture(scan, before);
  return printed(scan, before) ?? written(scan, start);
}

/** Reads the rest of a `${…}` that changes the value, from after the sign. Returns its text. */
function readBraces(scan: Scan, isQuoted: boolean): string {
  let text = "";
  for (let quoted = false; ; ) {
    const here = peek(scan);
    if (here === "") throw new UnreadableCommand("a brace is not closed");
    if (here === "}" && !quoted) break;
    const expansion = /[$`]/u.test(here) ? readExpansion(scan, isQuoted || quoted) : null;
    if (expansion !== null) text += expansion.value;
    else if (here === "\\") {
      text += peek(scan, 1);
      scan.at += 2;
    } else if (here === "'" && !isQuoted && !quoted) text += readLiteral(scan);
    else {
      if (here === '"') quoted = !quoted;
      text += here;
      scan.at++;
    }
  }
  scan.at++;
  return text;
}

/** Reads the text between single quotes, beginning at the first quote. */
export function readLiteral(scan: Scan): string {
  const end = scan.text.indexOf("'", scan.at + 1);
  if (end < 0) throw new UnreadableCommand("a single quote is not closed");
  const inside = scan.text.slice(scan.at + 1, end);
  scan.at = end + 1;
  return inside;
}
