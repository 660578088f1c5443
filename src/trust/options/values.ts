import { describeForm, isSameValue, printValue } from "../../card/options.ts";
import type { HookFacts } from "../../contract/ledger.ts";
import type { OptionDeclaration, OptionValue } from "../../contract/options.ts";
import { sortedBy } from "../../kernel/order.ts";

/** Values by hook and option. */
export type OptionsByHook = Readonly<Record<string, Readonly<Record<string, OptionValue>>>>;

/** A hook, with only what its options need. */
export type HookWithOptions = Pick<HookFacts, "options"> & { name: string };

export function declarationOf(
  hooks: readonly HookWithOptions[],
  hook: string,
  option: string,
): OptionDeclaration | undefined {
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
export function byHook(
  hooks: readonly HookWithOptions[],
  valuesOf: (hook: Required<HookWithOptions>) => Record<string, OptionValue>,
): Record<string, Record<string, OptionValue>> {
  const values = hooks.flatMap(({ name, options }) =>
    options === undefined ? [] : [[name, valuesOf({ name, options })] as const],
  );
  return Object.fromEntries(sortedBy(values, ([name]) => name));
}

/** The record's own field of this name, not an inherited one. */
export function ownValue<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** If both set an option, the later value counts. */
export function mergeOptions(first: OptionsByHook, later: OptionsByHook): OptionsByHook {
  const hooks = new Set([...Object.keys(first), ...Object.keys(later)]);
  return Object.fromEntries([...hooks].map((hook) => [hook, { ...ownValue(first, hook), ...ownValue(later, hook) }]));
}

export interface OptionChange {
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
