import { parseStrictJson } from "../../../format/json.ts";
import { isMapping } from "../../../helpers/guards.ts";
import { DEFAULT_TIMEOUT_MS, type HookDef } from "../hook/hook.ts";
import { Entry, entryNameOf, hookFrom, type Reading } from "./entry.ts";
import { settingsFilter, toolFilter } from "./filters.ts";

/**
 * Reads a plugin's hooks.json, in Claude Code's shape or the flat one, or the `hooks` of settings, which have Claude
 * Code's. Only commands are hooks: it leaves out prompts and agents, and says so.
 */
export function readHooksJson(text: string, reading: Reading): HookDef[] {
  const root = parseStrictJson(text, { file: reading.file });
  if (!isMapping(root)) {
    reading.refuse("the file", null, `should be an object, got ${entryNameOf(root)}`);
    return [];
  }
  const { hooks } = root;
  if (hooks === undefined && reading.generation === "settings.json") return [];
  if (Array.isArray(hooks)) return hooks.flatMap((one: unknown, at) => readFlat(one, `hooks[${at}]`, reading) ?? []);
  if (isMapping(hooks)) return Object.entries(hooks).flatMap(([event, groups]) => readGroups(event, groups, reading));
  reading.refuse("hooks", null, `should be an object or a list, got ${entryNameOf(hooks)}`);
  return [];
}

const FLAT_FIELDS = ["event", "type", "command", "matcher", "timeout", "description", "name"];

function readFlat(value: unknown, name: string, reading: Reading): HookDef | undefined {
  if (!isMapping(value)) return reading.refuse(name, null, `should be an object, got ${entryNameOf(value)}`);
  const entry = new Entry(reading, name, value);
  entry.allowOnly(FLAT_FIELDS);
  const event = entry.event("event");
  if (event === undefined) return undefined;
  return readAction(entry, { reading, event, matcher: entry.text("matcher") });
}

function readGroups(event: string, groups: unknown, reading: Reading): HookDef[] {
  const name = `hooks.${event}`;
  const known = new Entry(reading, name, {}).knownEvent(event, null);
  if (known === undefined) return [];
  if (!Array.isArray(groups)) {
    reading.refuse(name, null, `should be a list, got ${entryNameOf(groups)}`);
    return [];
  }
  return groups.flatMap((group: unknown, at) => readGroup(group, `${name}[${at}]`, { reading, event: known }));
}

interface GroupContext {
  reading: Reading;
  event: HookDef["event"];
}

function readGroup(group: unknown, name: string, place: GroupContext): HookDef[] {
  const { reading } = place;
  if (!isMapping(group)) {
    reading.refuse(name, null, `should be an object, got ${entryNameOf(group)}`);
    return [];
  }
  const entry = new Entry(reading, name, group);
  entry.allowOnly(["matcher", "hooks"]);
  const matcher = entry.text("matcher");
  const { hooks } = group;
  if (!Array.isArray(hooks)) {
    entry.refuse("hooks", hooks === undefined ? "is missing" : `should be a list, got ${entryNameOf(hooks)}`);
    return [];
  }
  return hooks.flatMap((action: unknown, at) => {
    const actionName = `${name}.hooks[${at}]`;
    if (!isMapping(action)) {
      return reading.refuse(actionName, null, `should be an object, got ${entryNameOf(action)}`) ?? [];
    }
    const inner = new Entry(reading, actionName, action);
    inner.allowOnly(ACTION_FIELDS);
    return readAction(inner, { ...place, matcher }) ?? [];
  });
}

const ACTION_FIELDS = [
  "type",
  "command",
  "prompt",
  "agent",
  "model",
  "timeout",
  "async",
  "statusMessage",
  "description",
];
const TYPES = ["command", "prompt", "agent"];

function readAction(
  entry: Entry,
  { reading, event, matcher }: GroupContext & { matcher: string | null | undefined },
): HookDef | undefined {
  const type = entry.text("type") ?? "command";
  if (!TYPES.includes(type)) return entry.refuse("type", `\`${type}\` isn't a type; there are ${TYPES.join(", ")}`);
  if (type !== "command") return reading.note(entry.name, `a hook of type ${type} is not run`);
  const isSettings = reading.generation === "settings.json";
  const command = entry.requiredText("command");
  const given = entry.number("timeout");
  const compile = isSettings ? settingsFilter : toolFilter;
  // An empty matcher or a lone star covers everything, including events without a tool.
  const isAll = matcher === "" || matcher === "*";
  const filter = isAll ? null : entry.filter("matcher", matcher, compile);
  if (command === undefined || given === undefined || filter === undefined) return undefined;
  if (!isSettings && given !== null)
    reading.note(entry.name, "its timeout is not used: a plugin's hook has 10 seconds");
  return hookFrom(reading, entry, {
    event,
    command: expand(command, reading),
    toolMatch: isAll ? null : (matcher ?? null),
    filters: [filter],
    timeoutMs: isSettings && given !== null ? given * 1_000 : DEFAULT_TIMEOUT_MS,
  });
}

/** Only a plugin has a folder for these variables. */
function expand(command: string, { generation, folder }: Reading): string {
  if (generation === "settings.json") return command;
  return command.replace(/\$\{(?:CLAUDE_PLUGIN_ROOT|ARAWN_PLUGIN_DIR)\}/gu, () => folder);
}
