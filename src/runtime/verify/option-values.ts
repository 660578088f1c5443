import type { OptionDeclarations } from "../../contract/options.ts";
import { type Fields, fieldOf, isListOfTexts, isRecord, isText } from "../../hot/shape.ts";

/** Whether this is what a card can declare of its options, as far as a policy could be misled by it. */
export function areDeclared(declared: unknown): boolean {
  if (!isRecord(declared)) return false;
  const options = Object.values(declared);
  return (
    options.length > 0 && options.every((option) => isRecord(option) && isValue(option, fieldOf(option, "default")))
  );
}

/** Whether each of these values, as far as an option is declared for it, is of its form. */
export function canHave(declared: OptionDeclarations, values: Fields): boolean {
  return Object.entries(declared).every(
    ([name, option]) => !Object.hasOwn(values, name) || isValue({ ...option }, values[name]),
  );
}

function isValue(option: Fields, value: unknown): boolean {
  const { type, values, minimum = value, maximum = value } = option;
  switch (type) {
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value) && Number(minimum) <= Number(value) && Number(value) <= Number(maximum);
    case "string":
      return isText(value);
    case "strings":
    case "globs":
      return isListOfTexts(value);
    case "enum":
      return isText(value) && isListOfTexts(values) && values.includes(value);
    default:
      return false;
  }
}
