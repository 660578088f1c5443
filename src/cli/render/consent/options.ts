import type { OptionValue } from "../../../contract/options.ts";
import { clean, shellQuote } from "../../../kernel/text.ts";
import { printOption, type Review, type ReviewedHook } from "../../../operations/project/trust.ts";
import type { Style } from "../../terminal/style.ts";

/**
 * The values that a hook's options will have, their defaults, their values so far, and those that the project asks for.
 */
export function renderOptions({ name, options = {} }: ReviewedHook, review: Review, style: Style): string[] {
  return Object.entries(options).flatMap(([option, declared]) => {
    const value = review.options[name]?.[option] ?? declared.default;
    const former = review.formerOptions[name]?.[option];
    const isDefault = show(value) === show(declared.default);
    const notes = [
      isDefault ? "the default" : `default: ${show(declared.default)}`,
      ...(former === undefined || show(former) === show(value) ? [] : [`so far: ${show(former)}`]),
      ...("tightens" in declared && review.isOfProject ? ["this project may tighten it by itself"] : []),
    ];
    const line = `    option      ${clean(option)}: ${show(value)} (${notes.join("; ")})`;
    return [
      isDefault ? line : style.warn(line),
      `                “${clean(declared.description, 200)}”`,
      ...renderAsked({ name, option }, review, style),
    ];
  });
}

/** What the project asks for and this consent doesn't give. */
function renderAsked(
  { name, option }: { name: string; option: string },
  { askedOptions }: Review,
  style: Style,
): string[] {
  return askedOptions.flatMap((asked) => {
    if (asked.hook !== name || asked.option !== option || asked.fate === "in-force") return [];
    if (asked.fate === "invalid") {
      return [style.warn(`                the project asks for ${show(asked.value)}, which it cannot have`)];
    }
    const items = typeof asked.value === "object" && asked.value.length > 0 ? asked.value : [asked.value];
    const flags = items.map((one) => `--set ${shellQuote(clean(printOption(name, option, one), 400))}`).join(" ");
    return [style.warn(`                the project asks for ${show(asked.value)}; to agree to that: ${flags}`)];
  });
}

function show(value: OptionValue): string {
  if (typeof value === "object") return value.length === 0 ? "none" : clean(value.join(", "), 2_000);
  return value === "" ? "empty" : clean(String(value), 400);
}
