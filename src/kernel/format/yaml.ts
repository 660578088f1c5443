import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  type Pair,
  parseAllDocuments,
} from "yaml";

/** Why a text is refused, and in which line. */
export interface YamlFault {
  /** From 1. */
  line: number;
  fault: string;
}

/** A key of a mapping. */
export interface YamlKey {
  name: string;
  line: number;
  /** 0: a key of the outermost mapping. */
  depth: number;
}

const PLAIN_KEY = /^[A-Za-z_][\w.-]*$/u;
const MOST_DEPTH = 8;
const TOO_NESTED = `is nested more than ${MOST_DEPTH} deep`;
/** A line with more lists, keys or brackets than may be nested. */
const TOO_DEEP = /^[ \t]*(?:[-?:][ \t]+){9}|(?:[[{][ \t]*){9}/u;

/**
 * The keys of a text that every YAML reader reads as the same block mapping. Anything that some reader could read
 * differently (anchors, tags, keys in quotes, values in quotes or brackets over several lines …) is a fault.
 */
export function readPlainYaml(text: string): YamlKey[] | YamlFault {
  const lines = new LineCounter();
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  // The library recurses on such a line, and how deep it can go depends on its caller.
  const deep = text.split("\n").findIndex((line) => TOO_DEEP.test(line));
  if (deep >= 0) return { line: deep + 1, fault: TOO_NESTED };
  const [document, second] = parseDocuments(text, lines);
  if (second !== undefined) return { line: lineAt(second.range[0]), fault: "has a second document" };
  const [problem] = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
  if (problem !== undefined) {
    return { line: lineAt(problem.pos[0]), fault: `is not plain YAML (${problem.code})` };
  }
  const contents = document?.contents;
  if (!isMap(contents) || contents.flow === true) return { line: 1, fault: "is not a list of `key: value` lines" };
  const walk: Walk = { text, lineAt, keys: [] };
  return walkNode(walk, contents, 0) ?? walk.keys;
}

function parseDocuments(text: string, lineCounter: LineCounter) {
  const documents = parseAllDocuments(text, {
    ...{ version: "1.2", schema: "core", merge: false, strict: true, uniqueKeys: true, stringKeys: true },
    ...{ prettyErrors: false, logLevel: "silent", lineCounter },
  });
  return Array.isArray(documents) ? documents : [];
}

interface Walk {
  text: string;
  lineAt: (offset: number | undefined) => number;
  keys: YamlKey[];
}

/** Notes every key in and below a node; stops at the first fault. */
function walkNode(walk: Walk, node: unknown, depth: number): YamlFault | undefined {
  if (!isNode(node)) return undefined;
  const [start = 0, end = 0] = node.range ?? [];
  const fault = (what: string): YamlFault => ({ line: walk.lineAt(start), fault: what });
  if (isAlias(node)) return fault("has an alias");
  if (node.anchor !== undefined) return fault("has an anchor");
  if (node.tag !== undefined) return fault("has a tag");
  if (depth > MOST_DEPTH) return fault(TOO_NESTED);
  const isBlock = isScalar(node) ? String(node.type).startsWith("BLOCK") || node.type === "PLAIN" : node.flow !== true;
  if (!isBlock && walk.text.slice(start, end).includes("\n")) {
    return fault("has a value in quotes or brackets that goes on in the next line");
  }
  if (!isCollection(node)) return undefined;
  for (const item of node.items) {
    const found = isPair(item) ? walkPair(walk, item, depth) : walkNode(walk, item, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function walkPair(walk: Walk, { key, value }: Pair, depth: number): YamlFault | undefined {
  const { text, lineAt, keys } = walk;
  if (!isScalar(key)) return { line: 1, fault: "has a key that is not a word" };
  const offset = key.range?.[0] ?? 0;
  const line = lineAt(offset);
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  if (depth === 0 && before !== "") return { line, fault: "has a key that does not begin in the first column" };
  const name = String(key.source ?? "");
  if (key.type !== "PLAIN" || !PLAIN_KEY.test(name) || before.includes("?")) {
    return { line, fault: "has a key that is not a plain word" };
  }
  keys.push({ name, line, depth });
  return walkNode(walk, key, depth + 1) ?? walkNode(walk, value, depth + 1);
}
