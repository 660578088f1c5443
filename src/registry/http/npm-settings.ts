import fs from "node:fs";
import path from "node:path";
import { hasCode } from "../../kernel/files.ts";
import type { Environment } from "../../kernel/host.ts";
import { trace } from "../../kernel/trace.ts";

/** What npm's own settings say about the network: credentials by URL, proxies, certificates. */
export interface NpmSettings {
  /** In the form of npm's libraries. */
  options: Readonly<Record<string, unknown>>;
  /** The registry of `@scope`, if the user has named one. */
  registryOf(scope: string): string | undefined;
  /** The addresses of all registries that the user has named. */
  registries: readonly string[];
}

interface Machine {
  home: string;
  env: Environment;
  /** Where drwn was started. */
  cwd: string;
  /** Node: npm's global settings are beside it. */
  nodePath: string;
}

/** Sources of settings that belong to the user or the machine, not to a repository. */
const OF_USER = new Set(["global", "user"]);

/**
 * Reads the user's .npmrc and the global one as npm does, with `${VARIABLE}` expanded. Doesn't read a project's .npmrc:
 * it could send any of the user's variables to any host, and by naming registries, proxies or certificates it would
 * decide where the user's tokens go.
 */
export async function loadNpmSettings(machine: Machine): Promise<NpmSettings> {
  const user = await load(machine);
  const named = (key: string) => {
    const value = OF_USER.has(user.find(key) ?? "") ? user.flat[key] : undefined;
    return typeof value === "string" ? value : undefined;
  };
  const keys = Object.keys(user.flat).filter((key) => /^(?:@.+:)?registry$/u.test(key));
  return {
    options: user.flat,
    registryOf: (scope) => named(`${scope}:registry`),
    registries: keys.flatMap((key) => named(key) ?? []),
  };
}

/** A line has one of these if it names a registry for a scope, another settings file, or a variable. */
const NAMES_OR_LEADS_ON = /@|\$|config|prefix/iu;

/**
 * Whether `registryOf` can have an answer for any scope. npm's own reader of settings takes longer than installing a
 * hundred cards, and most machines name no registry for a scope. If neither the environment nor the user's or the
 * global file can name one, drwn doesn't use that reader.
 */
export function mayNameRegistries(machine: Machine): boolean {
  if (Object.keys(placesIn(machine)).length > 0) return true;
  const { home, nodePath } = machine;
  const globalPrefix = process.platform === "win32" ? path.dirname(nodePath) : path.dirname(path.dirname(nodePath));
  return [path.join(home, ".npmrc"), path.join(globalPrefix, "etc", "npmrc")].some((file) => {
    const text = readText(file);
    return text !== undefined && NAMES_OR_LEADS_ON.test(text);
  });
}

/** If the text can't be read, npm has to judge it. */
function readText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    return hasCode(error, "ENOENT") ? undefined : "@";
  }
}

const OF_NPM = /^(?:npm_config_.*|prefix|destdir)$/isu;
const PLACE = /^npm_config_(?:userconfig|globalconfig)$/iu;

/**
 * The only variables of npm that count: where the user's and the global settings are. npm passes a project's settings
 * on to what it starts, and agents set variables that a repository names, so nobody can tell whose the others are. A
 * file inside the project isn't the user's, whatever its name.
 */
function placesIn({ env, cwd, home }: Machine): Environment {
  const isPlace = ([name, value]: [string, string | undefined]) =>
    PLACE.test(name) && value !== undefined && path.isAbsolute(value) && !isInProject(value, { cwd, home });
  return Object.fromEntries(Object.entries(env).filter(isPlace));
}

/** Whether the file is in a repository or a project around `cwd`. A home folder that is a repository is the user's. */
function isInProject(file: string, { cwd, home }: { cwd: string; home: string }): boolean {
  const real = realLocation(file);
  return ancestors(realLocation(cwd))
    .filter((folder) => [".git", ".agents/drwn/config.json"].some((mark) => fs.existsSync(path.join(folder, mark))))
    .filter((folder) => !isWithin(realLocation(home), folder))
    .some((folder) => isWithin(real, folder));
}

function isWithin(place: string, folder: string): boolean {
  return place === folder || place.startsWith(folder === path.sep ? folder : folder + path.sep);
}

function ancestors(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

function realLocation(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

async function load(machine: Machine) {
  const { home, env, nodePath } = machine;
  const { default: Config } = await import("@npmcli/config");
  const { default: npm } = await import("@npmcli/config/lib/definitions/index.js");
  const own = Object.entries(env).filter(([name]) => !OF_NPM.test(name));
  const config = new Config({
    definitions: npm.definitions,
    shorthands: npm.shorthands,
    flatten: npm.flatten,
    npmPath: nodePath,
    // A copy, since the library writes to it.
    env: { ...Object.fromEntries(own), ...placesIn(machine), HOME: home },
    // With this it doesn't look for a project in the home folder or above it.
    argv: [nodePath, "drwn", "--location=global"],
    execPath: nodePath,
    cwd: home,
    warn: false,
  });
  await config.load();
  for (const { source, data } of config.data.values()) {
    if (source === undefined || !path.isAbsolute(source) || Object.keys(data).length === 0) continue;
    trace("read", () => `${source}: settings of npm`);
  }
  return config;
}
