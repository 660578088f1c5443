/** A value, or a member of an object, in a JSON text that has been parsed. */
export interface JsonNode {
  readonly type: "object" | "array" | "property" | "string" | "number" | "boolean" | "null";
  readonly offset: number;
  readonly length: number;
  readonly colonOffset?: number;
  readonly parent?: JsonNode;
  readonly children?: readonly JsonNode[];
}

/** A text and its parsed root; together they show how the text is laid out. */
export interface JsonTree {
  text: string;
  root: JsonNode;
}

/** A member to add: a value, and for an object also its key. */
export interface NewChild {
  key?: string;
  value: unknown;
}

export function formatInline(place: JsonTree, { key, value }: NewChild): string {
  // Line breaks inside strings are always escaped, so the remaining ones are layout.
  const format = (part: unknown) =>
    isSpaced(place) ? JSON.stringify(part, null, 1).replaceAll(/\n */gu, " ") : JSON.stringify(part);
  if (key === undefined) return format(value);
  return `${JSON.stringify(key)}:${isSpaced(place) ? " " : ""}${format(value)}`;
}

export function formatBlock(place: JsonTree, { key, value }: NewChild, indent: string): string {
  const lines = JSON.stringify(value, null, unitOf(place)).split("\n");
  const formatted = lines.join(`${eolOf(place.text)}${indent}`);
  return key === undefined ? formatted : `${JSON.stringify(key)}: ${formatted}`;
}

/** One step of indentation, as the first member of the root has it. */
export function unitOf({ text, root }: JsonTree): string {
  const first = root.children?.[0];
  const indent = first === undefined ? undefined : ownLineIndent(text, first);
  if (indent === undefined) return "  ";
  const outer = lineIndent(text, root.offset);
  return indent.startsWith(outer) ? indent.slice(outer.length) : indent;
}

/** Whether white space follows the text's first colon. */
export function isSpaced({ text, root }: JsonTree): boolean {
  const colon = root.children?.[0]?.colonOffset;
  return colon === undefined || /\s/u.test(text.charAt(colon + 1));
}

export function eolOf(text: string): string {
  return /\r?\n/u.exec(text)?.[0] ?? "\n";
}

/** The white space before a node that begins its line; undefined: something else begins it. */
export function ownLineIndent(text: string, node: JsonNode): string | undefined {
  return /\n([ \t]*)$/u.exec(text.slice(0, node.offset))?.[1];
}

export function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/u.exec(text.slice(start, offset))?.[0] ?? "";
}
