import { faultOfValue, isSameValue, tighten } from "../../card/options.ts";
import { type OptionValue, optionValues } from "../../contract/options.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { byHook, declarationOf, type HookWithOptions, type OptionsByHook, own } from "./values.ts";

/** What a project asks for in trust.json, and what happens to it. */
export interface AskedOption {
  hook: string;
  option: string;
  value: OptionValue;
  /**
   * `in-force`: nothing is left to do. `tightens`: `write` applies it by itself. `person`: it waits for a person.
   * `invalid`: the card has no such option, or the option can't have this value.
   */
  fate: "in-force" | "tightens" | "person" | "invalid";
  /** For an invalid one, what would be valid. */
  expected: string | null;
}

export type WaitingOption = AskedOption & { card: string };

/** These values, plus what a project asks for as far as that needs no person. */
export function tightenOptions(
  hooks: readonly HookWithOptions[],
  values: OptionsByHook,
  asked: OptionsByHook,
): OptionsByHook {
  return byHook(hooks, ({ name, options }) => {
    const present = optionValues(options, own(values, name));
    for (const [option, value] of Object.entries(own(asked, name) ?? {})) {
      const [declared, is] = [own(options, option), present[option]];
      if (declared !== undefined && is !== undefined) present[option] = tighten(declared, is, value);
    }
    return present;
  });
}

/** What happens to each value that a project asks for. */
export function judgeAsked(
  hooks: readonly HookWithOptions[],
  values: OptionsByHook,
  asked: OptionsByHook,
): AskedOption[] {
  return Object.entries(asked).flatMap(([hook, options]) =>
    Object.entries(options).map(([option, value]): AskedOption => {
      const declared = declarationOf(hooks, hook, option);
      const expected = declared === undefined ? "an option of the card" : (faultOfValue(declared, value) ?? null);
      if (declared === undefined || expected !== null) return { hook, option, value, fate: "invalid", expected };
      const is = own(own(values, hook), option) ?? declared.default;
      const tightened = tighten(declared, is, value);
      // A list is in force if it has everything that the project wants to add to it.
      if (isSameValue(is, value) || (isSameValue(is, tightened) && hasAll(is, value))) {
        return { hook, option, value, fate: "in-force", expected };
      }
      const isTaken = "tightens" in declared && (isSameValue(tightened, value) || hasAll(tightened, value));
      return { hook, option, value, fate: isTaken ? "tightens" : "person", expected };
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

/** What a person runs to give an option this value. */
export function settingCommand(
  card: string,
  { hook, option, value }: Pick<AskedOption, "hook" | "option" | "value">,
): string {
  const items = typeof value === "object" && value.length > 0 ? value : [typeof value === "object" ? "" : value];
  const settings = items.map((one) => shellQuote(clean(`${hook}.${option}=${one}`, 400)));
  return `drwn card set ${card} ${settings.join(" ")}`;
}
