import {
  getField,
  getPrototypeOf,
  isArray,
  isFiniteNumber,
  isOwnEnumerable,
  ObjectPrototype,
  ownKeys,
  quoteJson,
} from "./primordials.ts";

/** How deep and how large a policy's value may be. */
const LIMITS = { depth: 200, characters: 1_048_576 } as const;

/** A policy returned something that isn't plain data, or too much of it. */
export class NotPlainData {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

interface Budget {
  characters: number;
}

/**
 * The JSON text of plain data: null, booleans, numbers, strings, arrays and plain objects. Throws a `NotPlainData` for
 * everything that could be more than it seems (class instances, functions, cycles), and calls no `toJSON`. Accessors
 * and proxies run code of the policy, so this is called under its deadline.
 */
export function toJsonText(value: unknown): string {
  return textOf(value, 0, { characters: LIMITS.characters });
}

function textOf(value: unknown, depth: number, budget: Budget): string {
  if (depth > LIMITS.depth) throw new NotPlainData(`is nested more than ${LIMITS.depth} deep, or in itself`);
  if (value === null) return spend("null", budget);
  switch (typeof value) {
    case "boolean":
      return spend(value ? "true" : "false", budget);
    case "number":
      return spend(isFiniteNumber(value) ? `${value}` : "null", budget);
    case "string":
      return spend(quoteJson(value), budget);
    case "object":
      return isArray(value) ? arrayText(value, depth, budget) : objectText(value as object, depth, budget);
    default:
      throw new NotPlainData(`holds a ${typeof value}`);
  }
}

function arrayText(array: unknown[], depth: number, budget: Budget): string {
  let text = spend("", budget);
  const { length } = array;
  for (let i = 0; i < length; i++) {
    const item: unknown = array[i];
    text += `${i === 0 ? "" : ","}${item === undefined ? spend("null", budget) : textOf(item, depth + 1, budget)}`;
  }
  return `[${text}]`;
}

function objectText(object: object, depth: number, budget: Budget): string {
  const prototype = getPrototypeOf(object);
  if (prototype !== null && prototype !== ObjectPrototype) {
    throw new NotPlainData("holds an object that is not plain data");
  }
  const keys = ownKeys(object);
  let text = spend("", budget);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (typeof key !== "string" || !isOwnEnumerable(object, key)) continue;
    const value: unknown = getField(object, key);
    if (value === undefined) continue;
    text += `${text === "" ? "" : ","}${spend(quoteJson(key), budget)}:${textOf(value, depth + 1, budget)}`;
  }
  return `{${text}}`;
}

function spend(text: string, budget: Budget): string {
  budget.characters -= text.length + 2;
  if (budget.characters < 0) throw new NotPlainData(`is larger than ${LIMITS.characters} characters of JSON`);
  return text;
}
