import { digestLate } from "../../hot/digest.ts";
import { encodeText, getField, isArray, newList, ownKeys, parseJson, quoteJson } from "../../hot/primordials.ts";
import type { EventText } from "../enter/event.ts";

/**
 * What names a call: its tool, what it is called with, and the folder. The same call has the same digest in whatever order an agent writes
 * the fields, and whatever it says about a shell command beside it. It may be asked for after policies ran.
 */
export function digestOfCall({ toolName, input, cwd }: EventText): string {
  const given: unknown = parseJson(input);
  const text = `${quoteJson(toolName)}${canonical(given, toolName === "Bash" ? "description" : null)}${quoteJson(cwd)}`;
  return digestLate(encodeText(text));
}

function canonical(value: unknown, leftOut: string | null): string {
  if (typeof value === "string") return quoteJson(value);
  if (typeof value !== "object" || value === null) return `${value as boolean | number | null}`;
  let text = "";
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) text = `${text},${canonical(value[i], null)}`;
    return `[${text}]`;
  }
  const names = sortedNames(value);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? "";
    if (name !== leftOut) text = `${text},${quoteJson(name)}:${canonical(getField(value, name), null)}`;
  }
  return `{${text}}`;
}

/** By insertion: no method of a list is asked. */
function sortedNames(value: object): string[] {
  const keys = ownKeys(value);
  const names = newList<string>(0, "");
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    for (; at > 0 && (names[at - 1] ?? "") > key; at--) names[at] = names[at - 1] ?? "";
    names[at] = key;
  }
  return names;
}
