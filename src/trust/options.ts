import { describeForm, faultOfValue, isSameValue, printValue, tighten } from "../card/options.ts";
import {
  type Grant,
  type HookFacts,
  type OptionDeclaration,
  type OptionDeclarations,
  type OptionValue,
  optionValues,
} from "../contract/ledger.ts";
import { sortedBy } from "../kernel/order.ts";
import { Problem } from "../kernel/problem.ts";
import { clean, shellQuote } from "../kernel/text.ts";

/** Values by hook and option. */
export type OptionsByHook = Readonly<Record<string, Readonly<Record<string, OptionValue>>>>;

/** A hook, with only what its options need. */
type HookWithOptions = Pick<HookFacts, "options"> & { name: string };

function declarationOf(hooks: readonly HookWithOptions[], hook: string, option: string): OptionDeclaration | undefined {
  const { options = {} } = hooks.find(({ name }) => name === hook) ?? {};
  return Object.hasOwn(options, option) ? options[option] : undefined;
}

/** `force-push.allow=["user/*"]` */
export function printOption(hook: string, option: string, value: OptionValue): string {
  return `${hook}.${option}=${printValue(value)}`;
}

/** `at most 100 different globs, none of them empty, which a project may tighten`: if this differs, a version waits. */
export function describeDeclaration(declared: OptionDeclaration): string {
  return `${describeForm(declared)}${"tightens" in declared ? ", which a project may tighten" : ""}`;
}

/** Values for each hook that has options. */
function byHook(
  hooks: readonly HookWithOptions[],
  valuesOf: (hook: Required<HookWithOptions>) => Record<string, OptionValue>,
): Record<string, Record<string, OptionValue>> {
  const values = hooks.flatMap(({ name, options }) =>
    options === undefined ? [] : [[name, valuesOf({ name, options })] as const],
  );
  return Object.fromEntries(sortedBy(values, ([name]) => name));
}

/** The record's own field of this name, not an inherited one. */
function ownValue<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** If both set an option, the later value counts. */
export function mergeOptions(first: OptionsByHook, later: OptionsByHook): OptionsByHook {
  const hooks = new Set([...Object.keys(first), ...Object.keys(later)]);
  return Object.fromEntries([...hooks].map((hook) => [hook, { ...ownValue(first, hook), ...ownValue(later, hook) }]));
}

interface OptionChange {
  hook: string;
  option: string;
  from: OptionValue | null;
  to: OptionValue;
}

/** The differences between the values of two consents. */
export function optionChanges(before: OptionsByHook = {}, after: OptionsByHook = {}): OptionChange[] {
  return Object.entries(after).flatMap(([hook, options]) =>
    Object.entries(options).flatMap(([option, to]): OptionChange[] => {
      const from = ownValue(ownValue(before, hook), option) ?? null;
      return from !== null && isSameValue(from, to) ? [] : [{ hook, option, from, to }];
    }),
  );
}

/** What a project asks for in trust.json, and what happens to it. */
export interface RequestedOption {
  hook: string;
  option: string;
  value: OptionValue;
  /** The value that the guard has now; of an invalid one, what was asked for. */
  inForce: OptionValue;
  /**
   * `in-force`: nothing is left to do. `tightens`: `write` applies it by itself. `person`: it waits for a person.
   * `invalid`: the card has no such option, or the option can't have this value.
   */
  outcome: "in-force" | "tightens" | "person" | "invalid";
  /** For an invalid one, what would be valid. */
  expected: string | null;
}

export type WaitingOption = RequestedOption & { card: string };

/** It needs a person, as it may guard less than what is in force. */
export type LoosenedOption = WaitingOption & { fate: "person" };

export function isLoosened(one: WaitingOption): one is LoosenedOption {
  return one.outcome === "person";
}

/** These values, plus what a project asks for as far as that needs no person. */
export function tightenOptions(
  hooks: readonly HookWithOptions[],
  values: OptionsByHook,
  asked: OptionsByHook,
): OptionsByHook {
  return byHook(hooks, ({ name, options }) => {
    const present = optionValues(options, ownValue(values, name));
    for (const [option, value] of Object.entries(ownValue(asked, name) ?? {})) {
      const [declared, is] = [ownValue(options, option), present[option]];
      if (declared !== undefined && is !== undefined) present[option] = tighten(declared, is, value);
    }
    return present;
  });
}

/** What happens to each value that a project asks for. */
export function judgeRequestedOptions(
  hooks: readonly HookWithOptions[],
  values: OptionsByHook,
  asked: OptionsByHook,
): RequestedOption[] {
  return Object.entries(asked).flatMap(([hook, options]) =>
    Object.entries(options).map(([option, value]): RequestedOption => {
      const declared = declarationOf(hooks, hook, option);
      const expected = declared === undefined ? "an option of the card" : (faultOfValue(declared, value) ?? null);
      if (declared === undefined || expected !== null)
        return { hook, option, value, inForce: value, outcome: "invalid", expected };
      const is = ownValue(ownValue(values, hook), option) ?? declared.default;
      const about = { hook, option, value, inForce: is, expected };
      const tightened = tighten(declared, is, value);
      // A list is in force if it has everything that the project wants to add to it.
      if (isSameValue(is, value) || (isSameValue(is, tightened) && hasAll(is, value))) {
        return { ...about, outcome: "in-force" };
      }
      const isTaken = "tightens" in declared && (isSameValue(tightened, value) || hasAll(tightened, value));
      return { ...about, outcome: isTaken ? "tightens" : "person" };
    }),
  );
}

function hasAll(value: OptionValue, asked: OptionValue): boolean {
  return typeof value === "object" && typeof asked === "object" && asked.every((one) => value.includes(one));
}

/** Only the options that the hooks have, with values that they can take. */
export function validOptions(hooks: readonly HookWithOptions[], asked: OptionsByHook): OptionsByHook {
  const valid = (hook: string, option: string, value: OptionValue): boolean => {
    const declared = declarationOf(hooks, hook, option);
    return declared !== undefined && faultOfValue(declared, value) === undefined;
  };
  const entries = Object.entries(asked).map(([hook, options]) => {
    const kept = Object.entries(options).filter(([option, value]) => valid(hook, option, value));
    return [hook, Object.fromEntries(kept)] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * What a project asks for that may guard less than what is in force, the command that has it ask for that again, and the
 * one that accepts less. It was a pull that changed it, as far as anybody knows, so no person is led to accept it first.
 */
export function explainLess({ card, hook, option, value, inForce }: LoosenedOption): {
  what: string;
  keep: string;
  accept: string;
} {
  const asked = clean(printOption(hook, option, value), 400);
  return {
    what: `trust.json asks for ${asked}, which may guard less than ${clean(printOption(hook, option, inForce), 400)}, which you consented to`,
    keep: `drwn trust request ${card} ${settings(hook, option, inForce)
      .map((setting) => `--set ${setting}`)
      .join(" ")}`,
    accept: `drwn card set ${card} ${settings(hook, option, value).join(" ")}`,
  };
}

function settings(hook: string, option: string, value: OptionValue): string[] {
  const items = typeof value === "object" ? (value.length > 0 ? value : [""]) : [value];
  return items.map((item) => shellQuote(clean(`${hook}.${option}=${item}`, 400)));
}

interface Deciding {
  /** The hooks that the consent is about. */
  hooks: readonly HookWithOptions[];
  /** What a person set. */
  set: OptionsByHook;
  /** The consent that this one replaces. */
  former: Pick<Grant, "options" | "ceiling"> | undefined;
}

/**
 * A value for every option of these hooks. A value that was set before stays if the option still has that form; an
 * option that was left at its default follows the card.
 */
export function decideOptions({ hooks, set, former }: Deciding): OptionsByHook {
  return byHook(hooks, ({ name, options }) => {
    const kept = keptValues(options, name, former);
    return optionValues(options, { ...kept, ...ownValue(set, name) });
  });
}

function keptValues(
  options: OptionDeclarations,
  hook: string,
  former: Deciding["former"],
): Record<string, OptionValue> {
  const values = ownValue(former?.options, hook) ?? {};
  const before = ownValue(former?.ceiling, hook)?.options ?? {};
  return Object.fromEntries(
    Object.entries(values).filter(([option, value]) => {
      const [was, is] = [ownValue(before, option), ownValue(options, option)];
      if (is === undefined || faultOfValue(is, value) !== undefined) return false;
      return was?.type === is.type && !isSameValue(was.default, value);
    }),
  );
}

/** One `hook.option=value` as it was typed. */
export interface TypedOption {
  hook: string;
  option: string;
  text: string;
}

const TYPED = /^([a-z0-9][a-z0-9-]{0,63})\.([a-z][A-Za-z0-9]{0,39})=([\s\S]*)$/u;

export function parseTyped(text: string): TypedOption {
  const [, hook, option, value] = TYPED.exec(text) ?? [];
  if (hook !== undefined && option !== undefined && value !== undefined) return { hook, option, text: value };
  throw new Problem("DRWN_OPTION_INVALID", `\`${clean(text, 80)}\` doesn't set an option`, {
    details: ["expected: hook.option=value"],
  });
}

/** The values that were typed. Each mention of a list adds an item; an empty one means the empty list. */
export function readTyped(
  card: string,
  hooks: readonly HookWithOptions[],
  typed: readonly TypedOption[],
): OptionsByHook {
  const values: Record<string, Record<string, OptionValue>> = {};
  for (const { hook, option, text } of typed) {
    const declared = requireDeclared(card, hooks, { hook, option });
    const value = readText(declared, text, ownValue(ownValue(values, hook), option));
    const fault = faultOfValue(declared, value);
    if (fault !== undefined) throw wrongValue(card, { hook, option, text, expected: fault, declared });
    values[hook] = { ...ownValue(values, hook), [option]: value };
  }
  return values;
}

/** Refuses an option that the card doesn't have. */
export function requireDeclared(
  card: string,
  hooks: readonly HookWithOptions[],
  { hook, option }: { hook: string; option: string },
): OptionDeclaration {
  const declared = declarationOf(hooks, hook, option);
  if (declared !== undefined) return declared;
  const known = hooks.flatMap(({ name, options = {} }) => Object.keys(options).map((one) => `${name}.${one}`));
  throw new Problem("DRWN_OPTION_INVALID", `${card} has no option \`${clean(`${hook}.${option}`, 120)}\``, {
    details: [`it has: ${clean(known.join(", "), 2_000) || "none"}`],
  });
}

interface WrongValue {
  hook: string;
  option: string;
  text: string;
  expected: string;
  declared: OptionDeclaration;
}

function wrongValue(card: string, { hook, option, text, expected, declared }: WrongValue): Problem {
  return new Problem("DRWN_OPTION_INVALID", `\`${clean(text, 120)}\` isn't a value of ${hook}.${option} of ${card}`, {
    details: [
      `expected: ${expected}`,
      `default: ${clean(printValue(declared.default), 400)}`,
      `what it is: ${clean(declared.description, 400)}`,
    ],
  });
}

function readText({ type }: OptionDeclaration, text: string, before: OptionValue | undefined): OptionValue {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (type === "integer") return /^-?\d{1,16}$/u.test(text) ? Number(text) : text;
  if (type !== "strings" && type !== "globs") return text;
  return [...(typeof before === "object" ? before : []), ...(text === "" ? [] : [text])];
}
