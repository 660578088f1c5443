import fs from "node:fs";
import path from "node:path";
import { readBounded } from "../../format/read.ts";
import { isProblem } from "../../kernel/problem.ts";
import { isObject } from "../../wiring/json-file.ts";
import { isCowork } from "./places.ts";

/** A plugin that Claude Code would load: with code of its own or without. */
export interface Plugin {
  /** `name@marketplace`; of one from no marketplace, its folder. */
  name: string;
  folder: string;
  /** The settings, the folder or the variable that has it loaded. */
  by: string;
}

export interface PluginsPlace {
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

/** The plugins that hold here; the settings of the project can enable one. Measured with Claude Code 2.1.329. */
export function findPlugins(place: PluginsPlace): Plugin[] {
  return [...findEnabled(place), ...findLoose(place)];
}

/** The files of a plugin that can have hooks: its manifest holds them, too, where it doesn't name a file of them. */
export function findPluginHooks(folder: string): string[] {
  const manifest = path.join(folder, ".claude-plugin", "plugin.json");
  const named = [objectIn(manifest, [])["hooks"]].flat();
  const files = named.flatMap((one) => (typeof one === "string" ? [path.join(folder, one)] : []));
  return [manifest, path.join(folder, "hooks", "hooks.json"), ...files].filter((file) => fs.existsSync(file));
}

/** Plugins from a marketplace that some settings enable. */
function findEnabled(place: PluginsPlace): Plugin[] {
  const enabled = new Map<string, string>();
  for (const file of place.settings) {
    for (const [name, isOn] of Object.entries(objectIn(file, ["enabledPlugins"]))) {
      if (isOn === false) enabled.delete(name);
      else enabled.set(name, file);
    }
  }
  const kept = keptFolders(place);
  return [...enabled].flatMap(([name, by]) =>
    [...new Set(kept.flatMap((folder) => foldersOf(folder, name)))].map((folder) => ({ name, folder, by })),
  );
}

/** Where Claude Code keeps what it knows of plugins and marketplaces: what it was installed with, and folders that it was given ready. */
function keptFolders(place: PluginsPlace): string[] {
  const { env, home, configFolder } = place;
  const own = valuesOf(place, "CLAUDE_CODE_PLUGIN_CACHE_DIR").map(({ value }) => fromHome(value, home));
  const given = valuesOf(place, "CLAUDE_CODE_PLUGIN_SEED_DIR").flatMap(({ value }) => listOf(value, home));
  const usual = path.join(configFolder, isCowork(env) ? "cowork_plugins" : "plugins");
  return [...(env["CLAUDE_CODE_PLUGIN_CACHE_DIR"] ? [] : [usual]), ...own, ...given];
}

/**
 * The folders from which Claude Code may load the plugin: those of its record; without one, the copies that it has made. From a marketplace
 * that is a folder it takes the plugin as it is there, installed or not.
 */
function foldersOf(kept: string, name: string): string[] {
  const copies = objectIn(path.join(kept, "installed_plugins.json"), ["plugins"])[name];
  const recorded = (Array.isArray(copies) ? copies : []).flatMap((copy) =>
    isObject(copy) && typeof copy["installPath"] === "string" ? [copy["installPath"]] : [],
  );
  const at = name.lastIndexOf("@");
  const [plugin, marketplace] = [name.slice(0, at), name.slice(at + 1)];
  const made = recorded.length > 0 ? [] : foldersIn(path.join(kept, "cache", marketplace, plugin));
  const known = objectIn(path.join(kept, "known_marketplaces.json"), [marketplace]);
  const isFolder = ["directory", "file"].includes(String(objectOf(known["source"])["source"]));
  const inPlace = recorded.length === 0 || isFolder ? folderInMarketplace(known["installLocation"], plugin) : [];
  return [...recorded, ...made, ...inPlace];
}

function folderInMarketplace(location: unknown, plugin: string): string[] {
  if (typeof location !== "string") return [];
  const isFile = location.endsWith(".json");
  const folder = isFile ? path.resolve(location, "../..") : location;
  const file = isFile ? location : path.join(folder, ".claude-plugin", "marketplace.json");
  const { plugins, metadata } = objectIn(file, []);
  const base = objectOf(metadata)["pluginRoot"];
  return (Array.isArray(plugins) ? plugins : []).flatMap((entry) => {
    const { name, source } = objectOf(entry);
    if (name !== plugin || typeof source !== "string") return [];
    return [path.join(folder, source), ...(typeof base === "string" ? [path.join(folder, base, source)] : [])];
  });
}

/** Plugins that nobody has to enable: those that Claude Code wrote itself, those among the skills, and those that a variable names. */
function findLoose(place: PluginsPlace): Plugin[] {
  const { home, configFolder, root } = place;
  const named = valuesOf(place, "CLAUDE_CODE_PLUGIN_DIRS").flatMap(({ by, value }) =>
    listOf(value, home).flatMap((folder) => [folder, ...foldersIn(folder)].map((at) => ({ folder: at, by }))),
  );
  const around = [
    path.join(configFolder, "dev-mods"),
    path.join(configFolder, "skills"),
    path.join(root, ".claude", "skills"),
  ].flatMap((by) => foldersIn(by).map((folder) => ({ folder, by })));
  return [...around, ...named].map(({ folder, by }) => ({ name: path.basename(folder), folder, by }));
}

/** What the environment and the settings give a variable. */
function valuesOf({ env, settings }: PluginsPlace, name: string): { by: string; value: string }[] {
  const all = [
    { by: name, value: env[name] as unknown },
    ...settings.map((file) => ({ by: file, value: objectIn(file, ["env"])[name] })),
  ];
  return all.flatMap(({ by, value }) => (typeof value === "string" && value.trim() !== "" ? [{ by, value }] : []));
}

function listOf(value: string, home: string): string[] {
  const folders = value.split(path.delimiter).filter((one) => one.trim() !== "");
  return folders.map((one) => fromHome(one.trim(), home));
}

function fromHome(folder: string, home: string): string {
  return path.resolve(home, folder.replace(/^~(?=\/|$)/u, home));
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

const LARGEST = 64 * 1024 * 1024;

/** As Claude Code reads JSON: of what is said twice the last holds, and what isn't JSON says nothing. null: it is too large to be looked at. */
export function readJson(file: string): Record<string, unknown> | null {
  try {
    return objectOf(JSON.parse(readBounded(file, { maximumBytes: LARGEST })?.toString("utf8") ?? "{}"));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    if (isProblem(error)) return null;
    throw error;
  }
}

function objectIn(file: string, at: readonly string[]): Record<string, unknown> {
  return at.reduce<Record<string, unknown>>((value, name) => objectOf(value[name]), readJson(file) ?? {});
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
