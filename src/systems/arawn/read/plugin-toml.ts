import { parseToml } from "../../../format/toml.ts";
import { isMapping } from "../../../helpers/guards.ts";
import type { HookDef } from "../hook/hook.ts";
import { Entry, entryNameOf, hookFrom, type Reading } from "./entry.ts";
import { paramsFilter, toolFilter } from "./filters.ts";

const FIELDS = ["event", "tool_match", "match_pattern", "command"];

/** Reads the `[[hooks]]` of a plugin.toml, and nothing else of the plugin. */
export function readPluginToml(text: string, reading: Reading): HookDef[] {
  const { hooks = [] } = parseToml(text, { file: reading.file });
  if (!Array.isArray(hooks)) {
    reading.refuse("hooks", null, `should be [[hooks]], got ${entryNameOf(hooks)}`);
    return [];
  }
  return hooks.flatMap((table: unknown, at) => readHook(table, `[[hooks]] ${at + 1}`, reading) ?? []);
}

function readHook(table: unknown, name: string, reading: Reading): HookDef | undefined {
  if (!isMapping(table)) return reading.refuse(name, null, `should be a table, got ${entryNameOf(table)}`);
  const entry = new Entry(reading, name, table);
  entry.allowOnly(FIELDS);
  const event = entry.event("event");
  const command = entry.requiredText("command");
  const toolMatch = entry.text("tool_match");
  const matchPattern = entry.text("match_pattern");
  const byTool = entry.filter("tool_match", toolMatch, toolFilter);
  const byParams = entry.filter("match_pattern", matchPattern, paramsFilter);
  if (event === undefined || command === undefined || byTool === undefined || byParams === undefined) return undefined;
  return hookFrom(reading, entry, {
    event,
    command,
    toolMatch: toolMatch ?? null,
    matchPattern: matchPattern ?? null,
    filters: [byTool, byParams],
  });
}
