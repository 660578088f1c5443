import { endOfArithmetic, readExpansionsIn } from "./expansions.ts";
import { callIn, handedOn, noteOwn } from "./functions.ts";
import { closeGroup, endApart, fedInto, handIn, type Level, NOBODY, openGroup } from "./level.ts";
import { readHeredocs, readRedirection } from "./redirections.ts";
import { type Around, peek, type ReadCommand, type Scan, take, UnreadableCommand } from "./scan.ts";
import { hold, notePossible, settle } from "./values.ts";
import { readWord, type Word } from "./word.ts";

/** A limit, because each parenthesis may begin arithmetic, which is searched up to the end of the text. */
const MOST_PARENTHESES = 100;
const MOST_LOOPS = 20;
const BLANKS = /(?:[ \t\r]|\\\r?\n)+/y;
/** Gaps between the parts of a command that may be on several lines. */
const GAPS = /(?:[ \t\r\n]|\\\r?\n|#[^\n]*\n)*/y;
const COMMENT = /#[^\n]*/y;
const OPERATOR = /;;&|;;|;&|&&|\|\||\|&|[;|]|&(?!>)/y;
const REDIRECTS = /(?:\d+|\{[A-Za-z_]\w*\})?(?:[<>](?!\()|<<|&>)/y;
const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/u;
const DECLARES = ["declare", "export", "local", "readonly", "typeset"];
const OPENS = ["{", "if", "until", "while", "for", "select", "case"];
const CLOSES = ["}", "fi", "done", "esac"];
/** Words that come before a command. */
const LEADING = ["!", "{", "}", "coproc", "do", "done", "elif", "else", "fi", "if", "then", "time", "until", "while"];

/**
 * Every simple command in a shell text that could run, also in substitutions, subshells, functions and branches. Throws
 * an `UnreadableCommand` for text that a shell would refuse.
 */
export function readCommands(text: string, around: Around = {}): ReadCommand[] {
  const { loops = [], calls = { made: 0 } } = around;
  const variables = new Map(around.variables);
  const functions = new Map(around.functions);
  const exported = new Set(around.exported);
  const found: ReadCommand[] = [];
  const known = { variables, exported, functions, assigned: new Map(), calls, loops };
  readScript({ text, at: 0, depth: 0, ...known, found, heredocs: [], readScript }, "");
  return found;
}

function readScript(scan: Scan, end: ")" | ""): void {
  const level: Level = {
    ...{ command: empty(scan), header: undefined, parentheses: 0, cases: 0 },
    ...{ done: [], groups: [], previous: [], isAfterGroup: false, before: scan.variables, defines: undefined },
    ...{ isMaybe: false, possible: new Map() },
  };
  for (;;) {
    take(scan, BLANKS);
    const here = peek(scan);
    if (here === "") break;
    if (here === "\n") {
      scan.at++;
      const isList = level.command.words.length > 0 || level.command.assignments.length > 0;
      close(scan, level);
      // A line may end after `&&`.
      if (isList) endList(scan, level);
      readHeredocs(scan);
    } else if (here === "#") take(scan, COMMENT);
    else if (here === ")" && level.parentheses === 0 && end === ")") {
      close(scan, level);
      scan.at++;
      return;
    } else readNext(scan, level);
  }
  close(scan, level);
  if (end !== "" || level.parentheses > 0) throw new UnreadableCommand("a parenthesis is not closed");
  if (level.cases > 0) throw new UnreadableCommand("a `case` is not closed");
}

function endList(scan: Scan, level: Level): void {
  level.isMaybe = false;
  settle(scan, level.possible);
}

function readNext(scan: Scan, level: Level): void {
  const here = peek(scan);
  if (here === "(") openParenthesis(scan, level);
  else if (here === ")") closeParenthesis(scan, level);
  else if (isAt(scan, REDIRECTS)) readRedirection(scan, level.command);
  else {
    const operator = take(scan, OPERATOR);
    if (operator === null) addWord(scan, level, readWord(scan, level.command.words.length === 0));
    else endCommand(scan, level, operator);
  }
}

function endCommand(scan: Scan, level: Level, operator: string): void {
  const isPipe = operator === "|" || operator === "|&";
  const isApart = isPipe || operator === "&";
  if (isApart) endApart(scan, level);
  close(scan, level, isApart);
  if (isPipe) level.command.fedBy = level.previous;
  if (operator === "&&" || operator === "||") level.isMaybe = true;
  else if (!isPipe) endList(scan, level);
  if (level.cases > 0 && /^;[;&]/u.test(operator)) readCasePattern(scan, level);
}

function openParenthesis(scan: Scan, level: Level): void {
  const { words } = level.command;
  const end = peek(scan, 1) === "(" && words.length === 0 ? endOfArithmetic(scan, scan.at + 2) : -1;
  if (end >= 0) {
    readExpansionsIn(scan, scan.text.slice(scan.at + 2, end - 2));
    scan.at = end;
  } else if (words.length === 0) {
    if (level.parentheses >= MOST_PARENTHESES) throw new UnreadableCommand("it is nested too deeply");
    level.parentheses++;
    openGroup(scan, level, "(");
    scan.at++;
  } else if (words.length === 1 && take(scan, /\([ \t]*\)/y) !== null) {
    level.defines = { name: words[0] ?? "", at: scan.at };
    level.command = empty(scan);
  } else throw new UnreadableCommand("a parenthesis stands where none can");
}

function closeParenthesis(scan: Scan, level: Level): void {
  if (level.parentheses === 0) throw new UnreadableCommand("a parenthesis is closed that was not opened");
  close(scan, level);
  level.parentheses--;
  scan.at++;
  closeGroup(scan, level);
}

function addWord(scan: Scan, level: Level, word: Word): void {
  const { command, header } = level;
  const isFirst = header === undefined && command.words.length === 0;
  if (isFirst && OPENS.includes(word.source)) openGroup(scan, level, word.source);
  if (isFirst && CLOSES.includes(word.source)) closeGroup(scan, level);
  if (header !== undefined) header.push(...word.fields);
  else if (command.words.length > 0) addArgument(scan, command, word);
  else if (LEADING.includes(word.source)) {
    const loop = level.groups.at(-1);
    if (word.source === "time") take(scan, /[ \t]+-p(?=\s)/y);
    if (word.source === "do" && loop !== undefined) loop.body = scan.at;
  } else if (word.source === "for" || word.source === "select") level.header = [];
  else if (word.source === "function") readFunctionName(scan, level);
  else if (word.source === "case") readCaseHead(scan, level);
  else if (word.source === "esac" && level.cases > 0) level.cases--;
  else if (word.source === "[[") readTest(scan);
  else if (!addAssignment(scan, command, word)) command.words.push(...word.fields);
}

function addArgument(scan: Scan, command: ReadCommand, word: Word): void {
  if (DECLARES.includes(command.words[0] ?? "")) addAssignment(scan, command, word);
  command.words.push(...word.fields);
}

function addAssignment({ variables }: Scan, command: ReadCommand, { source, value }: Word): boolean {
  const [written, name] = ASSIGNMENT.exec(source) ?? [];
  if (written === undefined || name === undefined) return false;
  const before = written.endsWith("+=") ? (variables.get(name) ?? "") : "";
  const text = before + value.slice(written.length);
  const isName = command.words.some((one) => /^-[a-zA-Z]*n/u.test(one));
  command.assignments.push({ name, value: isName ? (variables.get(text) ?? `$${text}`) : text });
  return true;
}

function readFunctionName(scan: Scan, level: Level): void {
  take(scan, BLANKS);
  const { value } = readWord(scan, false);
  take(scan, /[ \t]*\([ \t]*\)/y);
  level.defines = { name: value, at: scan.at };
}

function readCaseHead(scan: Scan, level: Level): void {
  take(scan, BLANKS);
  readWord(scan, false);
  take(scan, GAPS);
  if (readWord(scan, false).source !== "in") throw new UnreadableCommand("a `case` has no `in`");
  level.cases++;
  readCasePattern(scan, level);
}

/** `a | b)`, or the end of the `case`. */
function readCasePattern(scan: Scan, level: Level): void {
  take(scan, GAPS);
  take(scan, /\(/y);
  for (let isFirst = true; ; isFirst = false) {
    take(scan, GAPS);
    const { source } = readWord(scan, false);
    if (isFirst && source === "esac") {
      level.cases--;
      closeGroup(scan, level);
      return;
    }
    take(scan, GAPS);
    if (take(scan, /\)/y) !== null) return;
    if (take(scan, /\|/y) === null) throw new UnreadableCommand("a pattern of a `case` is not closed");
  }
}

/** `[[ … ]]` runs only its substitutions. */
function readTest(scan: Scan): void {
  while (scan.at < scan.text.length) {
    take(scan, /(?:[ \t\r\n]|\\\r?\n)+/y);
    const before = scan.at;
    if (readWord(scan, false).source === "]]") return;
    if (scan.at === before) scan.at++;
  }
  throw new UnreadableCommand("a test is not closed");
}

/** `isApart`: it runs in a shell of its own, so that what it assigns ends with it. Each part of a pipe does. */
function close(scan: Scan, level: Level, isApart = false): void {
  const { command, header = [] } = level;
  const { words, assignments, redirections } = command;
  const isHere = !isApart && command.fedBy.length === 0;
  if (words.length > 0 || assignments.length > 0 || redirections.length > 0) {
    if (command.fedBy.length === 0) command.fedBy = fedInto(level.groups);
    command.loops = scan.loops;
    noteOwn(scan, words);
    if (scan.variables.size > 0) command.exported = handedOn(scan, words[0]);
    if (scan.functions.size > 0) command.calls = callIn(scan, command);
    level.defines = undefined;
    scan.found.push(command);
    level.done.push(command);
    // `{ …; } 2>/dev/null` still belongs to the group.
    const isOfGroup = level.isAfterGroup && words.length === 0 && assignments.length === 0;
    if (isOfGroup) handIn(level.previous, redirections);
    level.previous = isOfGroup ? [command, ...level.previous] : [command];
    level.isAfterGroup = false;
  }
  // `A=b command` sets the variable for the command alone.
  if (isHere && (words.length === 0 || DECLARES.includes(words[0] ?? "")))
    for (const { name, value } of assignments) assign(scan, level, name, value);
  for (const [name, value] of scan.assigned.get(words[0] ?? "") ?? []) assign(scan, level, name, value);
  const [name, preposition, ...values] = header;
  if (name !== undefined) scan.variables.delete(name);
  if (name !== undefined && preposition === "in") scan.loops = [...scan.loops.slice(-MOST_LOOPS), { name, values }];
  level.command = empty(scan);
  level.header = undefined;
}

function assign(scan: Scan, { groups, isMaybe, possible }: Level, name: string, text: string): void {
  if (isMaybe) notePossible(possible, scan, name, text);
  for (const group of groups) if (group.possible !== undefined) notePossible(group.possible, scan, name, text);
  hold(scan, name, [text]);
}

function empty({ loops }: Scan): ReadCommand {
  return { words: [], assignments: [], redirections: [], fedBy: NOBODY, loops, exported: [], calls: undefined };
}

function isAt(scan: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.at;
  return pattern.test(scan.text);
}
