import { clean } from "../../kernel/text.ts";
import type { LoadFault } from "./read/hook-file.ts";

/** One line that names file, entry and field. */
export function describeFault({ file, entry, field, what }: LoadFault): string {
  const places = [clean(file), ...(entry === null ? [] : [entry]), ...(field === null ? [] : [`\`${clean(field)}\``])];
  return `${places.join(", ")}: ${clean(what)}`;
}
