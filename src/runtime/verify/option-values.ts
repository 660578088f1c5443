import type { OptionDeclarations } from "../../contract/options.ts";
import { type Fields, fieldOf, isListOfTexts, isRecord, isText } from "../../hot/shape.ts";

/** Whether a card can declare these options. It only checks what could mislead a policy. */
export function areDeclared(declared: unknown): boolean {
  if (!isRecord(declared)) return false;
  const options = Object.values(declared);
  return (
    options.length > 0 && options.every((option) => isRecord(option) && isValue(option, fieldOf(option, "default")))
  );
}

/** Whether each value fits the option that is declared for it, if one is. */
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
