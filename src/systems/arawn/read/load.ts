import fs from "node:fs";
import path from "node:path";
import { parseStrictJson } from "../../../format/json.ts";
import { readBounded } from "../../../format/read.ts";
import { isMapping } from "../../../helpers/guards.ts";
import { listFolder } from "../../../kernel/atomic.ts";
import { isProblem } from "../../../kernel/problem.ts";
import type { Generation, HookDef, LoadedArawnHooks } from "../hook/hook.ts";
import { Reading } from "./entry.ts";
import { readHooksJson } from "./hooks-json.ts";
import { readPluginToml } from "./plugin-toml.ts";

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
