import { readBounded } from "../../format/read.ts";
import { parseToml } from "../../format/toml.ts";
import { isProblem } from "../../kernel/problem.ts";
import { isObject } from "../../wiring/json-file.ts";

/** What cannot be read as TOML says nothing here: Codex doesn't start with it. */
export function readCodexConfig(file: string): Record<string, unknown> {
  try {
    return parseToml(readBounded(file)?.toString("utf8") ?? "", { file });
  } catch (error) {
    if (isProblem(error) || error instanceof Error) return {};
    throw error;
  }
}

export function codexTable(table: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = Object.hasOwn(table, name) ? table[name] : undefined;
  return isObject(value) ? value : {};
}

/** What a configuration says of whether hooks run at all, by the name of today or the former one; undefined: nothing. */
export function hooksFeature(file: string): boolean | undefined {
  const { hooks, codex_hooks: former } = codexTable(readCodexConfig(file), "features");
  if (hooks === false || former === false) return false;
  return hooks === true || former === true ? true : undefined;
}
