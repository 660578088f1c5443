import { faultOfValue, printValue } from "../../card/options.ts";
import type { OptionDeclaration, OptionValue } from "../../contract/options.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { declarationOf, type HookWithOptions, type OptionsByHook, ownValue } from "./values.ts";

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
