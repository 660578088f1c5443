import { oneOf } from "../../pattern/one-of.ts";
import { braced, endOfArithmetic, partsIn, readList, readWord } from "./parse-word.ts";
import { deeper, isAt, peek, type Scan, take, UnbalancedCommand, UnreadableCommand } from "./scan.ts";
import type { Assignment, Compound, For, Item, Node, Part, Script, Word, WrittenRedirection } from "./syntax.ts";

const BLANKS = /(?:[ \t\r]|\\\r?\n)+/y;
/** Gaps between the parts of a command that may be on several lines. */
const GAPS = /(?:[ \t\r\n]|\\\r?\n|#[^\n]*\n)*/y;
const OPERATOR = /;;&|;;|;&|;\||&&|\|\||\|&|[;|]|&(?!>)[!|]?/y;
const REDIRECTS = /(?:\d+|\{[A-Za-z_]\w*\})?(?:[<>](?!\()|<<|&>)/y;
const DESCRIPTOR = /\d+|\{[A-Za-z_]\w*\}/y;
const REDIRECTION = /&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>[|!]|<|>/y;
/** Words that come before a command; those that close what isn't open are skipped. */
const LEADING = ["!", "}", "coproc", "do", "done", "elif", "else", "fi", "then", "time", "esac", "end", "always"];
export const isDeclaring = oneOf("declare export local readonly typeset");

/** What a shell would run of a text. Throws an `UnreadableCommand` for a text that a shell would refuse. */
export function parseScript(text: string, depth = 0): Script {
  const scan = scanOf(text, depth);
  const script = parseList(scan, []);
  if (scan.at < text.length) throw new UnbalancedCommand("a parenthesis is closed that was not opened");
  return script;
}

/** Parses commands from after an opening parenthesis up to the closing one. */
function parseUntil(scan: Scan): Script {
  return deeper(scan, () => {
    const announced = scan.heredocs;
    scan.heredocs = [];
    const script = parseList(scan, [")"]);
    if (peek(scan) !== ")") throw new UnreadableCommand("a parenthesis is not closed");
    scan.at++;
    scan.heredocs = announced;
    return script;
  });
}

/** Commands up to one of the words, which isn't skipped, to a parenthesis that closes something, or to the end. */
function parseList(scan: Scan, ends: readonly string[]): Script {
  const items: Item[] = [];
  let before: Item["before"] = "";
  for (;;) {
    skipLines(scan);
    const here = peek(scan);
    if (here === "" || here === ")") break;
    if (ends.length > 0 && isAtEnd(scan, ends)) break;
    const operator = take(scan, OPERATOR);
    if (operator !== null) continue;
    const stages = parsePipe(scan);
    take(scan, BLANKS);
    const next = isAt(scan, /;[;&|]/y) ? null : take(scan, OPERATOR);
    items.push({ stages, before, isApart: next?.startsWith("&") === true && next !== "&&" });
    before = next === "&&" || next === "||" ? next : "";
  }
  return items;
}

/** Skips blanks, comments and line ends, with the here-documents that begin after them. */
function skipLines(scan: Scan): void {
  for (;;) {
    take(scan, BLANKS);
    if (peek(scan) === "#") take(scan, /#[^\n]*/y);
    if (peek(scan) !== "\n") return;
    scan.at++;
    readHeredocs(scan);
  }
}

function isAtEnd(scan: Scan, ends: readonly string[]): boolean {
  const word = /(?:;[;&|]|[^\s;&|()<>]+)/y;
  word.lastIndex = scan.at;
  const found = word.exec(scan.text)?.[0] ?? "";
  return ends.includes(found) || (found.startsWith(";") && ends.includes(";;"));
}

function parsePipe(scan: Scan): Node[] {
  const stages = [parseCommand(scan)];
  for (;;) {
    take(scan, BLANKS);
    if (isAt(scan, /\|\|/y) || take(scan, /\|&?/y) === null) return stages;
    skipLines(scan);
    if (isAt(scan, /[)|;]|$/y)) return stages;
    stages.push(parseCommand(scan));
  }
}

function parseCommand(scan: Scan): Node {
  return deeper(scan, () => {
    for (;;) {
      take(scan, BLANKS);
      if (peek(scan) === "(") return parseParentheses(scan);
      const start = scan.at;
      if (isAt(scan, REDIRECTS)) return parseSimple(scan);
      const word = readWord(scan, true);
      if (word.source === "function") return parseDefinition(scan);
      const compound = parseCompound(scan, word);
      if (compound !== null) return redirected(scan, compound);
      if (!LEADING.includes(word.source)) {
        scan.at = start;
        return parseSimple(scan);
      }
      if (word.source === "time") take(scan, /[ \t]+-p(?=\s)/y);
      if (word.source === "coproc") take(scan, /[ \t]+[A-Za-z_]\w*(?=[ \t]+[({])/y);
      skipLines(scan);
      if (isAt(scan, /[);&|]|$/y)) return parseSimple(scan);
    }
  });
}

function parseParentheses(scan: Scan): Node {
  const end = peek(scan, 1) === "(" ? endOfArithmetic(scan, scan.at + 2) : -1;
  if (end >= 0) {
    const text = scan.text.slice(scan.at + 2, end - 2);
    scan.at = end;
    const words = [{ source: text, parts: partsIn(scan, text) }];
    return redirected(scan, { kind: "test", words, arithmetic: text });
  }
  // zsh: `() { … }` runs at once.
  if (take(scan, /\([ \t]*\)/y) !== null) return parseCommand(scan);
  scan.at++;
  const body = parseUntil(scan);
  return redirected(scan, { kind: "group", isApart: true, body });
}

function redirected(scan: Scan, compound: Compound): Node {
  return { ...compound, redirections: readRedirections(scan) };
}

/** What a reserved word begins; null: it isn't one. */
function parseCompound(scan: Scan, word: Word): Compound | null {
  switch (word.source) {
    case "{": {
      const body = parseList(scan, ["}"]);
      expectWord(scan, "}");
      return { kind: "group", isApart: false, body };
    }
    case "if":
      return parseIf(scan);
    case "while":
    case "until": {
      const condition = parseList(scan, ["do", "done"]);
      return { kind: "while", condition, body: parseBody(scan) };
    }
    case "for":
    case "select":
    case "foreach":
      return parseFor(scan);
    case "case":
      return parseCase(scan);
    case "[[":
      return { kind: "test", words: readTest(scan) };
    default:
      return null;
  }
}

/** Skips the word that closes something. It may be missing: a shell runs what it has read so far. */
function expectWord(scan: Scan, ...words: readonly string[]): void {
  skipLines(scan);
  if (isAtEnd(scan, words)) take(scan, /[^\s;&|()<>]+/y);
}

function parseIf(scan: Scan): Compound {
  const branches: { condition: Script; body: Script }[] = [];
  for (let isOpen = true; isOpen; ) {
    const condition = parseList(scan, ["then", "elif", "else", "fi"]);
    expectWord(scan, "then");
    const body = parseList(scan, ["elif", "else", "fi"]);
    branches.push({ condition, body });
    if (isAtEnd(scan, ["elif"])) scan.at += "elif".length;
    else isOpen = false;
  }
  if (isAtEnd(scan, ["else"])) {
    scan.at += "else".length;
    branches.push({ condition: [], body: parseList(scan, ["fi"]) });
  }
  expectWord(scan, "fi");
  return { kind: "if", branches };
}

/** `do … done`, `{ … }`, or zsh's one command. */
function parseBody(scan: Scan): Script {
  take(scan, GAPS);
  take(scan, /;/y);
  skipLines(scan);
  if (isAtEnd(scan, ["do"])) {
    scan.at += "do".length;
    const body = parseList(scan, ["done"]);
    expectWord(scan, "done");
    return body;
  }
  if (isAt(scan, /[);&|]|$/y) || isAtEnd(scan, ["done"])) {
    expectWord(scan, "done");
    return [];
  }
  return [{ stages: [parseCommand(scan)], before: "", isApart: false }];
}

function parseFor(scan: Scan): For {
  take(scan, BLANKS);
  const end = isAt(scan, /\(\(/y) ? endOfArithmetic(scan, scan.at + 2) : -1;
  if (end >= 0) {
    const header = partsIn(scan, scan.text.slice(scan.at + 2, end - 2));
    const names = [...scan.text.slice(scan.at, end).matchAll(/[A-Za-z_]\w*/gu)].map(([name]) => name);
    scan.at = end;
    return { kind: "for", names, values: [], header, body: parseBody(scan) };
  }
  const names = [take(scan, /\w+/y) ?? ""];
  if (names[0] === "") throw new UnreadableCommand("the name of a loop's variable is missing");
  take(scan, GAPS);
  while (isAt(scan, /(?!in\b|do\b)[A-Za-z_]\w*/y)) {
    names.push(take(scan, /[A-Za-z_]\w*/y) ?? "");
    take(scan, GAPS);
  }
  const values = readForValues(scan);
  return { kind: "for", names, ...(values === null ? {} : { values }), header: [], body: parseBody(scan) };
}

/** Null: the loop is over the arguments. */
function readForValues(scan: Scan): Word[] | null {
  if (peek(scan) === "(") return readList(scan);
  return take(scan, /in(?=[ \t\n;\\]|$)/y) === null ? null : readWords(scan);
}

/** Words up to the end of the line. */
function readWords(scan: Scan): Word[] {
  const words: Word[] = [];
  for (;;) {
    take(scan, BLANKS);
    if (peek(scan) === "#") take(scan, /#[^\n]*/y);
    const word = readWord(scan, false);
    if (word.source === "") return words;
    words.push(...braced(word));
  }
}

function parseCase(scan: Scan): Compound {
  take(scan, BLANKS);
  const word = readWord(scan, false);
  take(scan, GAPS);
  if (readWord(scan, false).source !== "in") throw new UnreadableCommand("a `case` has no `in`");
  const arms: { patterns: Word[]; body: Script }[] = [];
  for (;;) {
    skipLines(scan);
    take(scan, /;;&|;[;&|]/y);
    skipLines(scan);
    if (isAtEnd(scan, ["esac"])) break;
    const patterns = readCasePatterns(scan);
    arms.push({ patterns, body: parseList(scan, [";;", "esac"]) });
    if (peek(scan) === "" || peek(scan) === ")") throw new UnreadableCommand("a `case` is not closed");
  }
  scan.at += "esac".length;
  return { kind: "case", word, arms };
}

/** `a | b)` */
function readCasePatterns(scan: Scan): Word[] {
  const patterns: Word[] = [];
  take(scan, /\(/y);
  for (;;) {
    take(scan, GAPS);
    patterns.push(readWord(scan, false, true));
    take(scan, GAPS);
    if (take(scan, /\)/y) !== null) return patterns;
    if (take(scan, /\|/y) === null) throw new UnreadableCommand("a pattern of a `case` is not closed");
  }
}

function parseDefinition(scan: Scan): Node {
  take(scan, BLANKS);
  const { source } = readWord(scan, false);
  take(scan, /[ \t]*\([ \t]*\)/y);
  skipLines(scan);
  return { kind: "function", names: [source], body: parseCommand(scan) };
}

/** `[[ … ]]` runs only its substitutions. */
function readTest(scan: Scan): Word[] {
  const words: Word[] = [];
  while (scan.at < scan.text.length) {
    take(scan, /(?:[ \t\r\n]|\\\r?\n)+/y);
    const word = readWord(scan, false, true);
    if (word.source === "]]") return words;
    if (word.source === "") scan.at++;
    else words.push(word);
  }
  throw new UnreadableCommand("a test is not closed");
}

function parseSimple(scan: Scan): Node {
  const words: Word[] = [];
  const assignments: Assignment[] = [];
  const redirections: WrittenRedirection[] = [];
  for (;;) {
    take(scan, BLANKS);
    const here = peek(scan);
    if (here === "#") take(scan, /#[^\n]*/y);
    if (here === "" || here === "\n" || here === ")" || here === "#") break;
    if (isAt(scan, REDIRECTS)) redirections.push(readRedirection(scan));
    else if (isAt(scan, OPERATOR)) break;
    else {
      const word = readWord(scan, words.length === 0);
      if (word.source !== "") addWord(word, words, assignments);
      else if (words.length > 0 && assignments.length === 0 && take(scan, /\([ \t]*\)/y) !== null) {
        skipLines(scan);
        return { kind: "function", names: words.map(({ source }) => source), body: parseCommand(scan) };
      } else throw new UnreadableCommand("a parenthesis stands where none can");
    }
  }
  return { kind: "simple", words, assignments, redirections };
}

function addWord(word: Word, words: Word[], assignments: Assignment[]): void {
  const assignment = words.length === 0 ? assignmentOf(word) : null;
  if (assignment !== null) {
    assignments.push(assignment);
    return;
  }
  const all = word.list === undefined ? braced(word) : [word];
  if (isDeclaring(words[0]?.source ?? "")) assignments.push(...all.flatMap((one) => assignmentOf(one) ?? []));
  words.push(...all);
}

/** `a=b`, `a+=b`, `a[1]=b`, `a=(b c)`; null: the word isn't an assignment. */
function assignmentOf(word: Word): Assignment | null {
  const [first] = word.parts;
  if (typeof first !== "string" || !/[=[]/.test(first)) return null;
  const [written, name = "", subscript, plus] = /^([A-Za-z_]\w*)(?:\[([^\]]*)\])?(\+?)=/.exec(first) ?? [];
  if (written !== undefined) {
    const rest = first.slice(written.length);
    const parts: readonly Part[] = rest === "" ? word.parts.slice(1) : [rest, ...word.parts.slice(1)];
    const source = word.source.slice(written.length);
    const value = word.list === undefined ? { source, parts } : { source, parts, list: word.list };
    return { name, isAppended: plus === "+", value, ...(subscript === undefined ? {} : { subscript: [subscript] }) };
  }
  const [, open, before = ""] = /^([A-Za-z_]\w*)\[([^\]]*)$/.exec(first) ?? [];
  const end = word.parts.findIndex((part, at) => at > 0 && typeof part === "string" && /^[^\]]*\]\+?=/.test(part));
  const last = word.parts[end];
  if (open === undefined || typeof last !== "string") return null;
  const at = last.indexOf("]");
  const sign = last.indexOf("=", at);
  const value = { source: last.slice(sign + 1), parts: [last.slice(sign + 1), ...word.parts.slice(end + 1)] };
  const index = [before, ...word.parts.slice(1, end), last.slice(0, at)];
  return { name: open, isAppended: last[at + 1] === "+", value, subscript: index };
}

function readRedirections(scan: Scan): WrittenRedirection[] {
  const redirections: WrittenRedirection[] = [];
  for (;;) {
    take(scan, BLANKS);
    if (!isAt(scan, REDIRECTS)) return redirections;
    redirections.push(readRedirection(scan));
  }
}

function readRedirection(scan: Scan): WrittenRedirection {
  const descriptor = take(scan, DESCRIPTOR);
  const operator = take(scan, REDIRECTION) ?? "";
  take(scan, /(?:[ \t]|\\\n)*/y);
  const target = readWord(scan, false);
  if (target.source === "") throw new UnreadableCommand(`after ${operator} comes no file`);
  const redirection: WrittenRedirection = { descriptor, operator, target };
  if (operator === "<<" || operator === "<<-") {
    const isLiteral = /['"\\]/.test(target.source);
    const end = target.source.replace(/\\(.)|["']/gu, "$1");
    scan.heredocs.push({ redirection, end, isLiteral });
  }
  return redirection;
}

/** Reads the lines that `<<` announced. Without a delimiter they end with the text, as in a shell. */
function readHeredocs(scan: Scan): void {
  const announced = scan.heredocs;
  scan.heredocs = [];
  for (const { redirection, end, isLiteral } of announced) {
    let body = "";
    while (scan.at < scan.text.length) {
      const written = take(scan, /[^\n]*/y) ?? "";
      scan.at++;
      const line = redirection.operator === "<<-" ? written.replace(/^\t+/u, "") : written;
      if (line === end) break;
      body += `${line}\n`;
    }
    redirection.body = isLiteral ? [body] : partsIn(scan, body);
  }
}

/** The parts of a text in which only expansions mean something: a prompt, a subscript. */
export function parseText(text: string): Part[] {
  return partsIn(scanOf(text, 0), text);
}

function scanOf(text: string, depth: number): Scan {
  return { text, at: 0, depth, heredocs: [], parseScript, parseUntil };
}
