import { parse, stringify, TomlError } from "smol-toml";
import { Problem } from "../problem.ts";
import { clean } from "../text.ts";

/** Parses a TOML document. Refuses text that isn't TOML, and says where. */
export function parseToml(text: string, { file }: { file: string }): Record<string, unknown> {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const message = `${clean(file)}, line ${cause.line}, column ${cause.column}: expected TOML`;
    throw new Problem("DRWN_SETTINGS_INVALID", message, { hint: `correct ${clean(file)}; nothing was changed`, cause });
  }
}

/** Formats these tables as a TOML document. */
export function formatToml(tables: Readonly<Record<string, unknown>>): string {
  return stringify(tables);
}
