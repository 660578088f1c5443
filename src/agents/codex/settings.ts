import { readBounded } from "../../kernel/format/read.ts";
import { parseToml } from "../../kernel/format/toml.ts";
import { isProblem } from "../../kernel/problem.ts";
import type { HookFormat } from "../../wiring/entries/groups.ts";
import { isObject } from "../../wiring/json-file.ts";
import { judgeEvents } from "../../wiring/tool-effects.ts";
import { codexLifecycle } from "./adapter.ts";

/** A file that isn't TOML counts as empty: Codex doesn't start with it. */
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

/**
 * Whether a configuration switches hooks on or off, by the current name or the former one; undefined: it doesn't say.
 */
export function hooksFeature(file: string): boolean | undefined {
  const { hooks, codex_hooks: former } = codexTable(readCodexConfig(file), "features");
  if (hooks === false || former === false) return false;
  return hooks === true || former === true ? true : undefined;
}

export const CODEX_EVENTS = judgeEvents(codexLifecycle, ["PreToolUse"]);

/** An unknown field at the top makes Codex refuse the whole file. It ignores unknown events. */
export const CODEX_FORMAT: HookFormat = {
  events: new Set(Object.keys(CODEX_EVENTS)),
  items: "groups",
  commands: ["command"],
};
