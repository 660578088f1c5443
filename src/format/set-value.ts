import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import { appendChild, removeChild, replaceValue } from "./edit.ts";
import type { JsonPath } from "./json.ts";

/** Sets the value at `path`, replacing an existing one and adding missing objects around it. */
export function setValue(text: string, path: JsonPath, value: unknown): string {
  if (nodeAt(text, path) !== undefined) return replaceValue(text, path, value);
  const at = path.findIndex((_, depth) => nodeAt(text, path.slice(0, depth + 1)) === undefined);
  const key = path[at];
  if (typeof key !== "string") throw new Error(`an item cannot be set at ${JSON.stringify(path)}`);
  const wrapped = path.slice(at + 1).reduceRight((inner: unknown, part) => ({ [part]: inner }), value);
  return appendChild(text, path.slice(0, at), { key, value: wrapped });
}

/** Removes the value at `path`; the text stays unchanged if there is none. */
export function removeValue(text: string, path: JsonPath): string {
  return nodeAt(text, path) === undefined ? text : removeChild(text, path);
}

/** Adds the item at the end of the array at `path`, and creates the array if it is absent. */
export function appendItem(text: string, path: JsonPath, item: unknown): string {
  if (nodeAt(text, path) === undefined) return setValue(text, path, [item]);
  return appendChild(text, path, { value: item });
}

/** Removes the value at `path` if it is an empty object or array, and then everything around it that is left empty. */
export function removeIfEmpty(text: string, path: JsonPath): string {
  const node = nodeAt(text, path);
  // Scalars have no `children`.
  if (path.length === 0 || node?.children?.length !== 0) return text;
  return removeIfEmpty(removeChild(text, path), path.slice(0, -1));
}

function nodeAt(text: string, path: JsonPath): Node | undefined {
  const root = parseTree(text);
  return root === undefined ? undefined : findNodeAtLocation(root, [...path]);
}
