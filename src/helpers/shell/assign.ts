import type { ReadCommand } from "./commands.ts";
import type { Expander } from "./expand.ts";
import { unquoted } from "./parse/marks.ts";
import type { Assignment } from "./parse/syntax.ts";
import { type Held, isList, type Shell } from "./state.ts";

/** Sets what an assignment says, for one round of its command. */
export function assigned(
  { name, subscript, isAppended, value }: Assignment,
  expander: Expander,
  shell: Shell,
): ReadCommand["assignments"][number] {
  const given = expander.value(value);
  const before = expander.lookup(name);
  let made = given;
  if (subscript !== undefined) {
    const index = unquoted(expander.textOf(subscript));
    shell.runExpansionsIn(index);
    made = withElement(before, index, typeof given === "string" ? given : "");
  }
  if (isList(made)) made = { ...made, values: made.values.map((one) => shell.listed(one)) };
  if (isAppended && subscript === undefined)
    made =
      before === undefined && typeof made === "string"
        ? shell.state.unknowns.of(`$${name}`) + made
        : appended(before, made);
  expander.assign(name, made);
  return { name: shell.state.named(name), value: isList(made) ? made.values.join(" ") : (made ?? "") };
}

function elementsOf(held: Held): readonly string[] {
  return isList(held) ? held.values : typeof held === "string" ? [held] : [];
}

function appended(before: Held, given: Held): Held {
  if (before === undefined) return undefined;
  if (isList(given)) return { values: [...elementsOf(before), ...elementsOf(given)] };
  if (!isList(before)) return `${before ?? ""}${given ?? ""}`;
  const [first = "", ...others] = before.values;
  return { ...before, values: [first + (given ?? ""), ...others] };
}

function withElement(before: Held, index: string, text: string): Held {
  const values = [...elementsOf(before)];
  const keys = isList(before) ? before.keys : undefined;
  if (keys === undefined && /^\d{1,4}$/.test(index) && Number(index) <= values.length && before !== undefined) {
    values[Number(index)] = text;
    return { values };
  }
  const named = [...(keys ?? values.map((_, at) => String(at)))];
  const at = named.includes(index) ? named.indexOf(index) : values.length;
  values[at] = text;
  named[at] = index;
  return { values, keys: named };
}
