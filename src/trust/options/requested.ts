import { faultOfValue, isSameValue, tighten } from "../../card/options.ts";
import { type OptionValue, optionValues } from "../../contract/options.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { byHook, declarationOf, type HookWithOptions, type OptionsByHook, ownValue, printOption } from "./values.ts";

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
  fate: "in-force" | "tightens" | "person" | "invalid";
  /** For an invalid one, what would be valid. */
  expected: string | null;
}

export type WaitingOption = RequestedOption & { card: string };

/** It needs a person, as it may guard less than what is in force. */
export type LoosenedOption = WaitingOption & { fate: "person" };

export function isLoosened(one: WaitingOption): one is LoosenedOption {
  return one.fate === "person";
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
        return { hook, option, value, inForce: value, fate: "invalid", expected };
      const is = ownValue(ownValue(values, hook), option) ?? declared.default;
      const about = { hook, option, value, inForce: is, expected };
      const tightened = tighten(declared, is, value);
      // A list is in force if it has everything that the project wants to add to it.
      if (isSameValue(is, value) || (isSameValue(is, tightened) && hasAll(is, value))) {
        return { ...about, fate: "in-force" };
      }
      const isTaken = "tightens" in declared && (isSameValue(tightened, value) || hasAll(tightened, value));
      return { ...about, fate: isTaken ? "tightens" : "person" };
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
    what: `trust.json asks for ${asked}, which may guard less than ${clean(printOption(hook, option, inForce), 400)}: that stays in force`,
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
