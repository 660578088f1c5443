import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import type { JsonPath } from "./json.ts";

/**
 * Edits JSON without changing any other byte. The text must be JSON without duplicate keys, perhaps with comments and
 * trailing commas, and the path must lead to a value in it; anything else is the caller's bug.
 */

/**
 * Adds a member after the last one of the object or array at `path`, with the indentation and line ends of its
 * surroundings.
 */
export function appendChild(text: string, path: JsonPath, child: NewChild): string {
  const place = { text, root: rootOf(text) };
  const container = nodeAt(place.root, path);
  const last = container.children?.at(-1);
  if (last === undefined) return fillBlank(place, container, child);
  const indent = ownLineIndent(text, last);
  const end = endOf(last);
  if (indent === undefined) {
    return splice(text, { from: end, to: end, by: `,${isSpaced(place) ? " " : ""}${formatInline(place, child)}` });
  }
  return splice(text, { from: end, to: end, by: `,${eolOf(text)}${indent}${formatBlock(place, child, indent)}` });
}

/** Replaces the value at `path`. */
export function replaceValue(text: string, path: JsonPath, value: unknown): string {
  const place = { text, root: rootOf(text) };
  const node = nodeAt(place.root, path);
  const member = node.parent?.type === "property" ? node.parent : node;
  const indent = ownLineIndent(text, member);
  const by = indent === undefined ? formatInline(place, { value }) : formatBlock(place, { value }, indent);
  return splice(text, { from: node.offset, to: endOf(node), by });
}

/** Removes the member at `path`, with the comma and white space that `appendChild` would have put before it. */
export function removeChild(text: string, path: JsonPath): string {
  const node = nodeAt(rootOf(text), path);
  const member = node.parent?.type === "property" ? node.parent : node;
  const container = member.parent;
  const siblings = container?.children ?? [];
  const at = siblings.indexOf(member);
  const previous = siblings[at - 1];
  const next = siblings[at + 1];
  if (container === undefined || at < 0) throw new Error("the root of a JSON text cannot be removed");
  if (previous !== undefined) return splice(text, { from: endOf(previous), to: endOf(member), by: "" });
  if (next !== undefined) return splice(text, { from: member.offset, to: next.offset, by: "" });
  return splice(text, { from: container.offset + 1, to: endOf(container) - 1, by: "" });
}

/** The white space between the brackets of the object or array at `path`; undefined: it has members. */
export function blankInside(text: string, path: JsonPath): string | undefined {
  const container = nodeAt(rootOf(text), path);
  if (container.children === undefined || container.children.length > 0) return undefined;
  return text.slice(container.offset + 1, endOf(container) - 1);
}

/** Sets the white space between the brackets of the object or array at `path`, which must have no members. */
export function setBlankInside(text: string, path: JsonPath, blank: string): string {
  const container = nodeAt(rootOf(text), path);
  return splice(text, { from: container.offset + 1, to: endOf(container) - 1, by: blank });
}

function fillBlank(place: JsonTree, container: JsonNode, child: NewChild): string {
  const { text } = place;
  const range = { from: container.offset + 1, to: endOf(container) - 1 };
  const member = container.parent?.type === "property" ? container.parent : container;
  if (container.parent !== undefined && ownLineIndent(text, member) === undefined) {
    const said = text.slice(range.from, range.to);
    return splice(text, { ...range, by: `${said.trim() === "" ? "" : said}${formatInline(place, child)}` });
  }
  const outer = lineIndent(text, container.offset);
  const inner = outer + unitOf(place);
  const eol = eolOf(text);
  // A comment may be all that is in it.
  const said = text.slice(range.from, range.to).trimEnd();
  return splice(text, { ...range, by: `${said}${eol}${inner}${formatBlock(place, child, inner)}${eol}${outer}` });
}

function rootOf(text: string): Node {
  const root = parseTree(text);
  if (root === undefined) throw new Error("a blank text cannot be edited as JSON");
  return root;
}

function nodeAt(root: Node, path: JsonPath): Node {
  const node = findNodeAtLocation(root, [...path]);
  if (node === undefined) throw new Error(`the JSON text has nothing at ${JSON.stringify(path)}`);
  return node;
}

function endOf(node: JsonNode): number {
  return node.offset + node.length;
}

function splice(text: string, { from, to, by }: { from: number; to: number; by: string }): string {
  return text.slice(0, from) + by + text.slice(to);
}

/** Where the value at `path` begins or, if there is none, the nearest value around it. */
export function offsetOfPath(text: string, path: JsonPath): number {
  const root = parseTree(text);
  if (root === undefined) return 0;
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, depth));
    if (node !== undefined) return node.offset;
  }
  return 0;
}

/** Line and column, both counted from 1. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** A value, or a member of an object, in a JSON text that has been parsed. */
interface JsonNode {
  readonly type: "object" | "array" | "property" | "string" | "number" | "boolean" | "null";
  readonly offset: number;
  readonly length: number;
  readonly colonOffset?: number;
  readonly parent?: JsonNode;
  readonly children?: readonly JsonNode[];
}

/** A text and its parsed root; together they show how the text is laid out. */
interface JsonTree {
  text: string;
  root: JsonNode;
}

/** A member to add: a value, and for an object also its key. */
interface NewChild {
  key?: string;
  value: unknown;
}

function formatInline(place: JsonTree, { key, value }: NewChild): string {
  // Line breaks inside strings are always escaped, so the remaining ones are layout.
  const format = (part: unknown) =>
    isSpaced(place) ? JSON.stringify(part, null, 1).replaceAll(/\n */gu, " ") : JSON.stringify(part);
  if (key === undefined) return format(value);
  return `${JSON.stringify(key)}:${isSpaced(place) ? " " : ""}${format(value)}`;
}

function formatBlock(place: JsonTree, { key, value }: NewChild, indent: string): string {
  const lines = JSON.stringify(value, null, unitOf(place)).split("\n");
  const formatted = lines.join(`${eolOf(place.text)}${indent}`);
  return key === undefined ? formatted : `${JSON.stringify(key)}: ${formatted}`;
}

/** One step of indentation, as the first member of the root has it. */
function unitOf({ text, root }: JsonTree): string {
  const first = root.children?.[0];
  const indent = first === undefined ? undefined : ownLineIndent(text, first);
  if (indent === undefined) return "  ";
  const outer = lineIndent(text, root.offset);
  return indent.startsWith(outer) ? indent.slice(outer.length) : indent;
}

/** Whether white space follows the text's first colon. */
function isSpaced({ text, root }: JsonTree): boolean {
  const colon = root.children?.[0]?.colonOffset;
  return colon === undefined || /\s/u.test(text.charAt(colon + 1));
}

function eolOf(text: string): string {
  return /\r?\n/u.exec(text)?.[0] ?? "\n";
}

/** The white space before a node that begins its line; undefined: something else begins it. */
function ownLineIndent(text: string, node: JsonNode): string | undefined {
  return /\n([ \t]*)$/u.exec(text.slice(0, node.offset))?.[1];
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/u.exec(text.slice(start, offset))?.[0] ?? "";
}

/** Sets the value at `path`, replacing an existing one and adding missing objects around it. */
export function setValue(text: string, path: JsonPath, value: unknown): string {
  if (findNode(text, path) !== undefined) return replaceValue(text, path, value);
  const at = path.findIndex((_, depth) => findNode(text, path.slice(0, depth + 1)) === undefined);
  const key = path[at];
  if (typeof key !== "string") throw new Error(`an item cannot be set at ${JSON.stringify(path)}`);
  const wrapped = path.slice(at + 1).reduceRight((inner: unknown, part) => ({ [part]: inner }), value);
  return appendChild(text, path.slice(0, at), { key, value: wrapped });
}

/** Removes the value at `path`; the text stays unchanged if there is none. */
export function removeValue(text: string, path: JsonPath): string {
  return findNode(text, path) === undefined ? text : removeChild(text, path);
}

/** Adds the item at the end of the array at `path`, and creates the array if it is absent. */
export function appendItem(text: string, path: JsonPath, item: unknown): string {
  if (findNode(text, path) === undefined) return setValue(text, path, [item]);
  return appendChild(text, path, { value: item });
}

/** Removes the value at `path` if it is an empty object or array, and then everything around it that is left empty. */
export function removeIfEmpty(text: string, path: JsonPath): string {
  const node = findNode(text, path);
  // Scalars have no `children`.
  if (path.length === 0 || node?.children?.length !== 0) return text;
  return removeIfEmpty(removeChild(text, path), path.slice(0, -1));
}

function findNode(text: string, path: JsonPath): Node | undefined {
  const root = parseTree(text);
  return root === undefined ? undefined : findNodeAtLocation(root, [...path]);
}
