import { createScanner, type JSONVisitor, printParseErrorCode, visit } from "jsonc-parser";
import { advise, drwn } from "../advice.ts";
import { Problem } from "../problem.ts";
import { clean } from "../text.ts";

const STRICT = { disallowComments: true, allowTrailingComma: false };

interface JsonLocation {
  /** The file's name in messages. */
  file: string;
}

/** Where something is in a JSON document, from its root. */
export type JsonPath = readonly (string | number)[];

/**
 * Parses JSON more strictly than RFC 8259: an object has no key twice and none that reaches a prototype, and nothing is
 * nested deeper than 64. Any two readers of a text that passes see the same value.
 */
export function parseStrictJson(text: string, { file }: JsonLocation): unknown {
  const own = readDrwnJson(text);
  if (own !== undefined) return own.value;
  refuseDepth(text, file);
  const value = parseOrRefuse(text, file);
  refuseKeys(text, file);
  return value;
}

function refuseDepth(text: string, file: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at);
    else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) depth -= 1;
    else if (character === OPEN_ARRAY || character === OPEN_OBJECT) depth += 1;
    if (depth > MAXIMUM_DEPTH) throw refuse(file, lineAt(text, at), `is nested deeper than ${MAXIMUM_DEPTH}`);
  }
}

/** Where the string that begins here ends, or the end of the text if it doesn't end. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function parseOrRefuse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const mark = text.search(/^<{7,} /mu);
    if (mark >= 0) throw refuseUnmerged(file, lineAt(text, mark), error);
    throw refuse(file, lineOfFault(text), "is not JSON", error);
  }
}

function lineOfFault(text: string): number {
  let line: number | undefined;
  const onFault: JSONVisitor = {
    onError: (_error, offset) => {
      line ??= lineAt(text, offset);
    },
  };
  visit(text, onFault, STRICT);
  return line ?? 1;
}

/** The text must be JSON. A string is a key if it follows the opening of an object, or a comma in one. */
function refuseKeys(text: string, file: string): void {
  /** The keys of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let keys: Set<string> | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      const end = endOfString(text, at);
      if (keys !== undefined) takeKey(keys, text.slice(at, end + 1), () => ({ file, line: lineAt(text, at) }));
      keys = undefined;
      at = end;
    } else if (character === OPEN_OBJECT || character === OPEN_ARRAY) {
      keys = character === OPEN_OBJECT ? new Set() : undefined;
      open.push(keys);
    } else if (character === CLOSE_OBJECT || character === CLOSE_ARRAY) {
      open.pop();
      keys = undefined;
    } else if (character === COMMA) keys = open.at(-1);
  }
}

function takeKey(keys: Set<string>, quoted: string, place: () => { file: string; line: number }): void {
  const key: string = quoted.includes("\\") ? JSON.parse(quoted) : quoted.slice(1, -1);
  const refuseKey = (fault: string) => refuse(place().file, place().line, fault);
  if (FORBIDDEN_KEYS.includes(key)) throw refuseKey(`has the key \`${key}\`, which is refused everywhere`);
  if (keys.has(key)) throw refuseKey(`has the key \`${clean(key, 80)}\` twice in one object`);
  keys.add(key);
}

/** The files that two people change, each on a branch. */
const OF_PROJECT = /[\\/]\.agents[\\/]drwn[\\/](?:config\.json|card\.lock|trust\.json)$/u;
const UNION = advise`correct that line; if .gitattributes has merge=union for the file, git joined two versions of it: take that out, and merge again, then: ${drwn("install")}`;

function refuse(file: string, line: number, fault: string, cause?: unknown): Problem {
  const hint = OF_PROJECT.test(file) ? { hint: UNION } : {};
  return new Problem("DRWN_FILE_INVALID", `${clean(file)}, line ${line}: the file ${fault}`, { ...hint, cause });
}

function refuseUnmerged(file: string, line: number, cause: unknown): Problem {
  return new Problem(
    "DRWN_FILE_INVALID",
    `${clean(file)}, line ${line}: git could not merge two versions of the file`,
    {
      hint: advise`${drwn("install")} merges config.json, card.lock and trust.json; in another file, keep what both sides have, and no line of git's`,
      cause,
    },
  );
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** Keys that reach the prototype of all objects if somebody copies an object carelessly. */
const FORBIDDEN_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

/** How deep JSON may be nested. */
const MAXIMUM_DEPTH = 64;

/** How a line one level deeper than that begins. Even the brackets of an empty value there begin a line like this. */
const TOO_DEEP = `\n${"  ".repeat(MAXIMUM_DEPTH)}`;

/**
 * The value of a text if `formatJson` writes exactly these bytes for it; undefined for any other text, even valid JSON.
 * Such a text has no key twice, since a value that is written again has each key once; it isn't too deep; and it has no
 * forbidden key. Node's own functions find that out in a tenth of the time that a loop over the characters takes.
 */
export function readDrwnJson(text: string): { value: unknown } | undefined {
  if (!isOpening(text) || text.includes(TOO_DEEP)) return undefined;
  if (FORBIDDEN_KEYS.some((key) => text.includes(`"${key}"`))) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return formatJson(value) === text ? { value } : undefined;
  } catch {
    // It isn't JSON, or is deeper than Node can write. The slow reader says what is wrong, and where.
    return undefined;
  }
}

/** A quick check: a text that begins differently isn't ours. */
function isOpening(text: string): boolean {
  return text.startsWith("{\n  ") || text.startsWith("[\n  ");
}

/** Where a text stops being strict JSON, and what should be there. */
interface JsonFault {
  offset: number;
  expected: string;
}

const EXPECTED: Readonly<Record<string, string>> = {
  InvalidCommentToken: "no comment",
  PropertyNameExpected: "a name in double quotes",
  ValueExpected: "a value",
  ColonExpected: "a colon",
  CommaExpected: "a comma or a closing bracket",
  CloseBraceExpected: "`}` or a comma",
  CloseBracketExpected: "`]` or a comma",
  EndOfFileExpected: "the end of the file",
};

/**
 * The first fault of a text that should be strict JSON in which no object has a key twice; undefined: there is none.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  if (readDrwnJson(text) !== undefined) return undefined;
  // The parser recurses for each level, so many brackets could exhaust the stack.
  const tooDeep = findDepthFault(text);
  if (tooDeep !== undefined) return tooDeep;
  const faults: JsonFault[] = [];
  const open: Set<string>[] = [];
  visit(
    text,
    {
      onError: (code, offset) => {
        faults.push({ offset, expected: EXPECTED[printParseErrorCode(code)] ?? "strict JSON" });
      },
      onObjectBegin: () => {
        open.push(new Set());
      },
      onObjectEnd: () => {
        open.pop();
      },
      onObjectProperty: (key, offset) => {
        if (open.at(-1)?.has(key)) faults.push({ offset, expected: "each name once in an object" });
        open.at(-1)?.add(key);
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  );
  return faults.sort((left, right) => left.offset - right.offset)[0];
}

function findDepthFault(text: string): JsonFault | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const first = text[scanner.getTokenOffset()];
    if (first === "}" || first === "]") depth -= 1;
    if (first === "{" || first === "[") depth += 1;
    if (depth > MAXIMUM_DEPTH) {
      return { offset: scanner.getTokenOffset(), expected: `at most ${MAXIMUM_DEPTH} levels of nesting` };
    }
  }
  return undefined;
}

/** What a program accepts in its JSON beside strict JSON. */
export type JsonExtras = "comments" | "comments and trailing commas";

/** The text with blanks in place of comments, and of commas before a closing bracket: every place in it stays. */
export function blankExtras(text: string, extras: JsonExtras): string {
  const scanner = createScanner(text, false);
  const blanks: [from: number, to: number][] = [];
  let comma: number | null = null;
  let before = "";
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const [from, length] = [scanner.getTokenOffset(), scanner.getTokenLength()];
    const token = text.charAt(from);
    if (token === "/") blanks.push([from, from + length]);
    if (token === "/" || /\s/u.test(token)) continue;
    if (/[\]}]/u.test(token) && comma !== null && extras !== "comments") blanks.push([comma, comma + 1]);
    // One that follows an opening bracket or another comma is a mistake everywhere.
    comma = token === "," && !/^[[{,]?$/u.test(before) ? from : null;
    before = token;
  }
  let blanked = "";
  let end = 0;
  for (const [from, to] of blanks.sort(([a], [b]) => a - b)) {
    blanked += text.slice(end, from) + text.slice(from, to).replaceAll(/[^\r\n]/gu, (one) => " ".repeat(one.length));
    end = to;
  }
  return blanked + text.slice(end);
}

/** Two spaces, a final newline, keys in the order in which they were added: the same value gives the same bytes. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
