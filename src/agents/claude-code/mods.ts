import fs from "node:fs";
import path from "node:path";
import { readBounded } from "../../format/read.ts";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { isObject, openJsonFile, valueAt } from "../../wiring/json-file.ts";
import { isCowork } from "./places.ts";

/** A plugin with code that Claude Code loads into itself, which answers before the hooks of users and projects are asked. */
interface Mod {
  /** `name@marketplace`; of one that Claude Code wrote itself, its folder. */
  name: string;
  folder: string;
  /** The settings, the folder or the variable that has it loaded. */
  by: string;
}

interface Place {
  env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  home: string;
  /** Where Claude Code keeps what is the user's. */
  configFolder: string;
  /** The user's settings, then the project's, then the project's personal ones: what a later one says holds. */
  settings: readonly string[];
  /** The project's. */
  root: string;
}

/**
 * The mods that can have a call run which a hook denied: those that name an event of a call, and those of which nobody can tell.
 * Measured with Claude Code 2.1.329. None of their code runs here.
 */
export function checkMods(place: Place): Finding[] {
  return findMods(place).flatMap(({ name, folder, by }) => {
    const code = readCode(folder);
    if (code === null) return [];
    const events = [...new Set([...code.matchAll(EVENT)].map(([, event = ""]) => event))].sort();
    const isOfProject = by.startsWith(`${place.root}${path.sep}`);
    if (events.length === 0 && !isOfProject && isPlain(code)) return [];
    const what =
      events.length === 0 ? "says in no plain words which events it handles" : `handles ${events.join(", ")}`;
    const message = `the mod ${clean(name, 200)} of Claude Code${isOfProject ? ", which the project's settings load," : ""} ${clean(what, 500)}: it can let a call run that was denied, or keep the hook from being asked`;
    return [{ code: "mod-can-overrule", severity: "warning", subject: folder, message, hint: waysOut(name, by) }];
  });
}

/** The folders of the plugins that hold here, with code or without; the settings of the project can enable one. */
export function findPluginFolders(place: Place): string[] {
  return [...new Set(findMods(place).map(({ folder }) => folder))];
}

/** The files of a plugin that can have hooks: its manifest holds them, too, where it doesn't name a file of them. */
export function findPluginHooks(folder: string): string[] {
  const named = [objectIn(manifestOf(folder), [])["hooks"]].flat();
  const files = named.flatMap((one) => (typeof one === "string" ? [path.join(folder, one)] : []));
  return [manifestOf(folder), path.join(folder, "hooks", "hooks.json"), ...files].filter((file) => fs.existsSync(file));
}

function waysOut(name: string, by: string): string {
  const own = by.endsWith(".json") ? `take ${clean(name, 200)} out of enabledPlugins in ${by}` : `take it out of ${by}`;
  return `${own}, or have an administrator put the entry of drwn into Claude Code's managed settings, or set allowManagedModsOnly there`;
}

/** The events by which a mod decides a call, wherever a text of its code names one. */
const EVENT = /["'`]((?:tool\.(?:call|check)|classic\.\w+|permission\.\w+|(?:tool|classic|permission)\.\*|\*))["'`]/gu;

/** Whether every event that is handled is named by a text: else it may be any. */
function isPlain(code: string): boolean {
  const handled = [...code.matchAll(/\bon\s*\(/gu)].length;
  const named = [...code.matchAll(/\bon\s*\(\s*["'`][\w.:-]+["'`]\s*[,)]/gu)].length;
  // `register(on)` declares the word, and doesn't use it.
  const declared = [...code.matchAll(/\bregister\s*\(\s*on\b/gu)].length;
  return (
    handled === named && declared > 0 && !/\b(?:eval|Function|import)\s*\(|\brequire\s*\(|\bfrom\s*["'`]/u.test(code)
  );
}

function findMods(place: Place): Mod[] {
  return [...findInstalled(place), ...findLoose(place)];
}

/** Plugins from a marketplace that some settings enable. */
function findInstalled(place: Place): Mod[] {
  const { settings } = place;
  const enabled = new Map<string, string>();
  for (const file of settings) {
    for (const [name, isOn] of Object.entries(objectIn(file, ["enabledPlugins"]))) {
      if (isOn === false) enabled.delete(name);
      else enabled.set(name, file);
    }
  }
  const installed = objectIn(path.join(pluginsFolder(place), "installed_plugins.json"), ["plugins"]);
  return [...enabled].flatMap(([name, by]) => {
    const copies = installed[name];
    const folders = (Array.isArray(copies) ? copies : []).flatMap((copy) =>
      isObject(copy) && typeof copy["installPath"] === "string" ? [copy["installPath"]] : [],
    );
    return [...new Set(folders)].map((folder) => ({ name, folder, by }));
  });
}

/** As Claude Code 2.1.329 finds its folder of plugins. */
function pluginsFolder({ env, home, configFolder }: Place): string {
  const asked = env["CLAUDE_CODE_PLUGIN_CACHE_DIR"];
  if (asked) return fromHome(asked, home);
  return path.join(configFolder, isCowork(env) ? "cowork_plugins" : "plugins");
}

/** Plugins that nobody has to enable: those that Claude Code wrote itself, those among the skills, and those that a variable names. */
function findLoose({ env, home, configFolder, settings, root }: Place): Mod[] {
  const named = [
    [PLUGIN_DIRS, env[PLUGIN_DIRS]] as const,
    ...settings.map((file) => [file, objectIn(file, ["env"])[PLUGIN_DIRS]] as const),
  ].flatMap(([by, value]) => {
    const folders = typeof value === "string" ? value.split(path.delimiter).filter((one) => one.trim() !== "") : [];
    return folders.flatMap((one) => {
      const folder = fromHome(one.trim(), home);
      return [folder, ...foldersIn(folder)].map((at) => ({ folder: at, by }));
    });
  });
  const around = [
    path.join(configFolder, "dev-mods"),
    path.join(configFolder, "skills"),
    path.join(root, ".claude", "skills"),
  ].flatMap((by) => foldersIn(by).map((folder) => ({ folder, by })));
  return [...around, ...named].map(({ folder, by }) => ({ name: path.basename(folder), folder, by }));
}

const PLUGIN_DIRS = "CLAUDE_CODE_PLUGIN_DIRS";

function fromHome(folder: string, home: string): string {
  return path.resolve(home, folder.replace(/^~(?=\/|$)/u, home));
}

const LARGEST_CODE = 8 * 1024 * 1024;

/** All code that lies in the plugin; null: it is a plugin without any that Claude Code loads. */
function readCode(folder: string): string | null {
  const declared = findPluginHooks(folder).some((file) => objectIn(file, [])["modules"] !== undefined);
  if (!declared && objectIn(manifestOf(folder), ["hooks"])["modules"] === undefined) return null;
  const code = filesIn(folder).filter((file) => /\.[cm]?[jt]sx?$/u.test(file));
  return code.map((file) => readText(file, LARGEST_CODE)).join("\n");
}

function manifestOf(folder: string): string {
  return path.join(folder, ".claude-plugin", "plugin.json");
}

function filesIn(folder: string): string[] {
  try {
    const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  } catch {
    // It isn't there, or Claude Code cannot read it either.
    return [];
  }
}

function foldersIn(folder: string): string[] {
  try {
    const names = fs.readdirSync(folder).map((name) => path.join(folder, name));
    return names.filter((name) => fs.statSync(name, { throwIfNoEntry: false })?.isDirectory());
  } catch {
    // It isn't there, or Claude Code cannot read it either.
    return [];
  }
}

function readText(file: string, maximumBytes: number): string {
  try {
    return readBounded(file, { maximumBytes })?.toString("utf8") ?? "";
  } catch (error) {
    // Whatever is too large names an event, for all that anybody knows.
    if (isProblem(error)) return 'on("*")';
    throw error;
  }
}

function objectIn(file: string, at: readonly string[]): Record<string, unknown> {
  try {
    const value = valueAt(openJsonFile({ root: path.parse(file).root, file }).text, [...at]);
    return isObject(value) ? value : {};
  } catch (error) {
    if (isProblem(error)) return {};
    throw error;
  }
}
