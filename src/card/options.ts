import type { OptionDeclaration, OptionDeclarations, OptionValue } from "../contract/ledger.ts";
import { compileOptionGlob } from "../helpers/matches-glob.ts";
import { PatternFault } from "../helpers/pattern/syntax.ts";
import { lineText, unique } from "../kernel/format/schema.ts";
import * as z from "../kernel/format/zod.ts";
import { clean } from "../kernel/text.ts";

const OPTION_NAME = /^[a-z][A-Za-z0-9]{0,39}$/u;
const OPTION_NAME_FORM = "a lower-case letter, then at most 39 letters and digits, and no name that every object has";
const MOST_OPTIONS = 20;
const MOST_ITEMS = 500;
const MOST_CHARACTERS = 200;
/** For a list that doesn't declare its length. */
const DEFAULT_ITEMS = 100;

const name = z
  .string()
  .refine((text) => OPTION_NAME.test(text) && !(text in {}) && text !== "prototype", { error: OPTION_NAME_FORM });
const item = lineText(MOST_CHARACTERS);
const items = z.array(item).max(MOST_ITEMS);
const description = lineText(MOST_CHARACTERS).min(1);
const tightens = z.literal(true).exactOptional();

const declaration = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("boolean"), default: z.boolean(), description, tightens }),
  z.strictObject({
    type: z.literal("integer"),
    default: z.int(),
    minimum: z.int().exactOptional(),
    maximum: z.int().exactOptional(),
    description,
    tightens: z.enum(["lower", "higher"]).exactOptional(),
  }),
  z.strictObject({
    type: z.literal("string"),
    default: item,
    maxLength: z.int().min(1).max(MOST_CHARACTERS).exactOptional(),
    description,
  }),
  z.strictObject({
    type: z.enum(["strings", "globs"]),
    default: items,
    maxItems: z.int().min(1).max(MOST_ITEMS).exactOptional(),
    description,
    tightens,
  }),
  z.strictObject({
    type: z.literal("enum"),
    values: unique(z.array(item.min(1)).min(1).max(50)),
    default: item,
    description,
    tightens,
  }),
]);

/** What a card declares about the options of one hook. Each default is a valid value of its option. */
export const declarationsSchema: z.ZodType<OptionDeclarations> = z
  .record(name, declaration)
  .check(({ value, issues }) => {
    const count = Object.keys(value).length;
    if (count === 0 || count > MOST_OPTIONS) {
      issues.push({ code: "custom", input: value, message: `from 1 to ${MOST_OPTIONS} options` });
    }
    for (const [option, declared] of Object.entries(value)) {
      const fault = faultOfValue(declared, declared.default);
      if (fault !== undefined) {
        issues.push({ code: "custom", input: declared.default, path: [option, "default"], message: fault });
      }
    }
  });

/** A value of any option, for code that doesn't have its declaration. */
const optionValueSchema: z.ZodType<OptionValue> = z.union([z.boolean(), z.int(), item, items]);

/** Values by hook and option. */
export const optionValuesSchema = z.record(z.string().max(64), z.record(name, optionValueSchema));

/** What the option's value should be instead; undefined: this value is valid. */
export function faultOfValue(declared: OptionDeclaration, value: unknown): string | undefined {
  return isValue(declared, value) ? undefined : describeForm(declared);
}

function isValue(declared: OptionDeclaration, value: unknown): value is OptionValue {
  switch (declared.type) {
    case "boolean":
      return typeof value === "boolean";
    case "integer": {
      const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = declared;
      return Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
    }
    case "string":
      return isLine(value) && value.length <= (declared.maxLength ?? MOST_CHARACTERS);
    case "strings":
    case "globs":
      return isList(value, declared);
    case "enum":
      return typeof value === "string" && declared.values.includes(value);
  }
}

function isLine(value: unknown): value is string {
  return item.safeParse(value).success;
}

function isList(value: unknown, { type, maxItems = DEFAULT_ITEMS }: { type: string; maxItems?: number }): boolean {
  if (!Array.isArray(value) || value.length > maxItems || new Set(value).size < value.length) return false;
  return value.every((one) => isLine(one) && one !== "" && (type === "strings" || isGlob(one)));
}

function isGlob(text: string): boolean {
  try {
    compileOptionGlob(text);
    return true;
  } catch (error) {
    if (error instanceof PatternFault) return false;
    throw error;
  }
}

/** `a whole number from 0 to 10`, `allow, ask or deny`. */
export function describeForm(declared: OptionDeclaration): string {
  switch (declared.type) {
    case "boolean":
      return "true or false";
    case "integer": {
      const { minimum, maximum } = declared;
      if (minimum !== undefined && maximum !== undefined) return `a whole number from ${minimum} to ${maximum}`;
      if (minimum !== undefined) return `a whole number, at least ${minimum}`;
      return maximum === undefined ? "a whole number" : `a whole number, at most ${maximum}`;
    }
    case "string":
      return `a line of at most ${declared.maxLength ?? MOST_CHARACTERS} characters`;
    case "strings":
    case "globs":
      return `at most ${declared.maxItems ?? DEFAULT_ITEMS} different ${declared.type === "globs" ? "globs" : "lines"}, none of them empty`;
    case "enum":
      return `one of ${declared.values.map((one) => clean(one, MOST_CHARACTERS)).join(", ")}`;
  }
}

/** `["user/*"]`, `true`: in the form in which drwn reads it again. */
export function printValue(value: OptionValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether the values are the same; lists are the same if they have the same items, in any order. */
export function isSameValue(one: OptionValue, other: OptionValue): boolean {
  return comparable(one) === comparable(other);
}

function comparable(value: OptionValue): string {
  return JSON.stringify(typeof value === "object" ? value.toSorted() : value);
}

/**
 * The value after a project has asked for another: the other one, as far as it makes the guard stricter in the
 * direction that the card declares; the old one if every change needs a person.
 */
export function tighten(declared: OptionDeclaration, value: OptionValue, asked: OptionValue): OptionValue {
  if (!("tightens" in declared) || faultOfValue(declared, asked) !== undefined) return value;
  const tightened = tightenAs(declared, value, asked);
  return faultOfValue(declared, tightened) === undefined ? tightened : value;
}

function tightenAs(declared: OptionDeclaration, value: OptionValue, asked: OptionValue): OptionValue {
  switch (declared.type) {
    case "boolean":
      return value === true || asked === true;
    case "integer": {
      const isLower = declared.tightens === "lower";
      return isLower ? Math.min(Number(value), Number(asked)) : Math.max(Number(value), Number(asked));
    }
    case "strings":
    case "globs":
      return [...new Set([...listOf(value), ...listOf(asked)])];
    case "enum": {
      const { values } = declared;
      return values.indexOf(String(asked)) > values.indexOf(String(value)) ? asked : value;
    }
    case "string":
      return value;
  }
}

function listOf(value: OptionValue): readonly string[] {
  return typeof value === "object" ? value : [];
}
