import fs from "node:fs";
import path from "node:path";
import { readBounded } from "../../format/read.ts";
import { isProblem } from "../../kernel/problem.ts";
import { isObject } from "../../wiring/json-file.ts";
import { isCowork } from "./places.ts";

/** A plugin that Claude Code would load, with or without code. */
export interface Plugin {
  /** `name@marketplace`, or the name of its folder if it comes from no marketplace. */
  name: string;
  folder: string;
  /** The settings file, folder or variable that makes Claude Code load it. */
  by: string;
}

export interface PluginsPlace {
  env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  home: string;
  /** Where Claude Code keeps the user's files. */
  configFolder: string;
  /**
   * The user's settings, then the project's, then the project's personal ones: a later file overrides an earlier one.
   */
  settings: readonly string[];
  /** The project's folder. */
  root: string;
}

/**
 * The plugins that Claude Code loads here; the project's settings can enable some of them. Measured with Claude Code
 * 2.1.329.
 */
export function findPlugins(place: PluginsPlace): Plugin[] {
  return [...findEnabled(place), ...findLoose(place)];
}

/** The files of a plugin that can hold hooks. A manifest that doesn't name a file of hooks may hold them itself. */
export function findPluginHooks(folder: string): string[] {
  const manifest = path.join(folder, ".claude-plugin", "plugin.json");
  const named = [objectIn(manifest, [])["hooks"]].flat();
  const files = named.flatMap((one) => (typeof one === "string" ? [path.join(folder, one)] : []));
  return [manifest, path.join(folder, "hooks", "hooks.json"), ...files].filter((file) => fs.existsSync(file));
}

/** Marketplace plugins that some settings file enables. */
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

/**
 * The folders in which Claude Code keeps plugins and marketplaces: those it fills itself, and those it got ready-made.
 */
function keptFolders(place: PluginsPlace): string[] {
  const { env, home, configFolder } = place;
  const own = valuesOf(place, "CLAUDE_CODE_PLUGIN_CACHE_DIR").map(({ value }) => fromHome(value, home));
  const given = valuesOf(place, "CLAUDE_CODE_PLUGIN_SEED_DIR").flatMap(({ value }) => listOf(value, home));
  const usual = path.join(configFolder, isCowork(env) ? "cowork_plugins" : "plugins");
  return [...(env["CLAUDE_CODE_PLUGIN_CACHE_DIR"] ? [] : [usual]), ...own, ...given];
}

/**
 * The folders from which Claude Code may load the plugin: those that it has recorded, or without a record its cached
 * copies. If the marketplace is a folder, it takes the plugin straight from there, installed or not.
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

/** The values that the environment and the settings give a variable. */
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

/**
 * Reads JSON as Claude Code does: the last of two equal keys wins, and a file that isn't JSON counts as empty. null: it
 * is too large to read.
 */
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
