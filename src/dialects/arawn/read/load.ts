import fs from "node:fs";
import path from "node:path";
import { isMapping } from "../../../helpers/is-type.ts";
import { listFolder } from "../../../kernel/files.ts";
import { parseStrictJson } from "../../../kernel/format/json.ts";
import { readBounded } from "../../../kernel/format/read.ts";
import { parseToml } from "../../../kernel/format/toml.ts";
import { isProblem } from "../../../kernel/problem.ts";
import { DEFAULT_TIMEOUT_MS, type Generation, type HookDef, type LoadedArawnHooks } from "../hook/hook.ts";
import { Entry, entryNameOf, hookFrom, paramsFilter, Reading, settingsFilter, toolFilter } from "./entry.ts";

export interface ArawnFolders {
  /** The user's home folder; null: don't look for the user's own hooks. */
  home: string | null;
  /** The project's folder. */
  root: string;
}

/**
 * Every hook that Arawn would find: those of the user's plugins, then of the project's plugins, then of both settings.
 * A folder that is itself a plugin counts as one.
 */
export function loadArawnHooks({ home, root }: ArawnFolders): LoadedArawnHooks {
  const plugins = [
    ...(home === null ? [] : pluginFolders(path.join(home, ".config/arawn/plugins"))),
    ...pluginFolders(path.join(root, "plugins")),
    ...(isPlugin(root) ? [root] : []),
  ];
  const settings = [...(home === null || home === root ? [] : [home]), root];
  return join([
    ...plugins.map(loadPlugin),
    ...settings.map((folder) =>
      loadFile(path.join(folder, ".arawn/settings.json"), { generation: "settings.json", folder: root }),
    ),
  ]);
}

/** All hooks in one plugin's folder, whichever form they have. */
export function loadPlugin(folder: string): LoadedArawnHooks {
  const toml = loadFile(path.join(folder, "plugin.toml"), { generation: "plugin.toml", folder });
  const { files, loaded } = hookFilesOf(folder);
  return join([toml, loaded, ...files.map((file) => loadFile(file, { generation: "hooks.json", folder }))]);
}

/** The hooks of one file: a plugin.toml, a settings.json, or otherwise a hooks.json. None if the file is absent. */
export function loadFile(file: string, place: { generation: Generation; folder: string }): LoadedArawnHooks {
  const reading = new Reading({ ...place, file });
  const hooks = attempt(reading, () => {
    const bytes = readBounded(file);
    if (bytes === undefined) return [];
    const text = bytes.toString("utf8");
    return place.generation === "plugin.toml" ? readPluginToml(text, reading) : readHooksJson(text, reading);
  });
  const isSound = reading.faults.every(({ isNote }) => isNote);
  return { hooks: isSound ? hooks : [], faults: reading.faults };
}

const PLUGIN_FILES = ["plugin.toml", ".claude-plugin/plugin.json", "hooks/hooks.json"];

export function isPlugin(folder: string): boolean {
  return PLUGIN_FILES.some((file) => fs.existsSync(path.join(folder, file)));
}

function pluginFolders(parent: string): string[] {
  return listFolder(parent)
    .map((name) => path.join(parent, name))
    .filter(isPlugin);
}

/** The files that plugin.json names as its hooks; `hooks/hooks.json` if it names none. */
function hookFilesOf(folder: string): { files: string[]; loaded: LoadedArawnHooks } {
  const file = path.join(folder, ".claude-plugin/plugin.json");
  const reading = new Reading({ file, folder, generation: "hooks.json" });
  const named = attempt(reading, () => {
    const bytes = readBounded(file);
    return bytes === undefined ? ["hooks/hooks.json"] : namedIn(bytes.toString("utf8"), reading);
  });
  return { files: named.map((name) => path.join(folder, name)), loaded: { hooks: [], faults: reading.faults } };
}

function namedIn(text: string, reading: Reading): string[] {
  const root = parseStrictJson(text, { file: reading.file });
  const hooks = isMapping(root) ? (root["hooks"] ?? "hooks/hooks.json") : root;
  const named: unknown[] = Array.isArray(hooks) ? hooks : [hooks];
  return named.flatMap((name) => {
    const isInside = typeof name === "string" && !path.isAbsolute(name) && !path.normalize(name).startsWith("..");
    if (isInside) return [name];
    return reading.refuse("the file", "hooks", "should name files of the plugin") ?? [];
  });
}

function attempt<T>(reading: Reading, work: () => T[]): T[] {
  try {
    return work();
  } catch (error) {
    if (!isProblem(error)) throw error;
    reading.refuse("the file", null, error.message);
    return [];
  }
}

function join(all: readonly LoadedArawnHooks[]): LoadedArawnHooks {
  const hooks: HookDef[] = all.flatMap((one) => one.hooks);
  return { hooks, faults: all.flatMap(({ faults }) => faults) };
}

/**
 * Reads a plugin's hooks.json, in Claude Code's shape or the flat one, or the `hooks` of settings, which have Claude
 * Code's. Only commands are hooks: it leaves out prompts and agents, and says so.
 */
function readHooksJson(text: string, reading: Reading): HookDef[] {
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

const FIELDS = ["event", "tool_match", "match_pattern", "command"];

/** Reads the `[[hooks]]` of a plugin.toml, and nothing else of the plugin. */
function readPluginToml(text: string, reading: Reading): HookDef[] {
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
