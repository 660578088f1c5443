import { clean } from "../../../kernel/text.ts";
import type { AstridLoadFault } from "./hook-file.ts";

/** One line that names file, entry and field. */
export function describeAstridFault({ file, entry, field, what }: AstridLoadFault): string {
  const places = [clean(file), ...(entry === null ? [] : [entry]), ...(field === null ? [] : [`\`${clean(field)}\``])];
  return `${places.join(", ")}: ${clean(what)}`;
}
