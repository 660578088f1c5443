import { digestLate } from "../../hot/digest.ts";
import { encodeText, getField, isArray, newList, ownKeys, parseJson, quoteJson } from "../../hot/primordials.ts";
import type { EventText } from "../enter/event.ts";

/**
 * Identifies a call by its tool, its input and the folder. The order of the fields and the description beside a shell
 * command don't change the digest. Safe to call after policies ran.
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

/** An insertion sort, because policies may have replaced the methods of lists. */
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
