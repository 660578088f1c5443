import { faultOfValue, isSameValue } from "../../card/options.ts";
import type { Grant } from "../../contract/ledger.ts";
import { type OptionDeclarations, type OptionValue, optionValues } from "../../contract/options.ts";
import { byHook, type HookWithOptions, type OptionsByHook, ownValue } from "./values.ts";

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
