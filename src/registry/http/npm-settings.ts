import fs from "node:fs";
import path from "node:path";
import { hasCode } from "../../kernel/atomic.ts";
import type { Environment } from "../../kernel/host.ts";

/** What npm's own settings say of the network: credentials by URL, proxies, certificates. */
export interface NpmSettings {
  /** In the form that npm's libraries take. */
  options: Readonly<Record<string, unknown>>;
  /** The registry of `@scope`, where the user has named one. */
  registryOf(scope: string): string | undefined;
}

interface Machine {
  home: string;
  env: Environment;
  /** Node: npm's global settings lie beside it. */
  nodePath: string;
}

/** What a project's .npmrc may add: what is sent to a registry, never which registry that is or how it is reached. */
const FROM_PROJECT = /^\/\/.*:(?:_authToken|_auth|username|_password)$/u;

/** Places that belong to the user or the machine, and not to a repository. */
const OF_USER = new Set(["global", "user", "env"]);

/**
 * Reads .npmrc as npm does: the user's, the global one and the environment, `${VARIABLE}` expanded. Of the project's own
 * one only credentials count: a repository that could name registries, proxies or certificates would decide where the
 * user's tokens go.
 */
export async function loadNpmSettings(machine: Machine, projectRoot: string | null): Promise<NpmSettings> {
  const user = await load(machine, machine.home);
  const options: Record<string, unknown> = { ...user.flat };
  const project = projectRoot === null ? {} : ((await load(machine, projectRoot)).data.get("project")?.data ?? {});
  for (const [key, value] of Object.entries(project)) {
    if (FROM_PROJECT.test(key) && user.find(key) !== "env") options[key] = value;
  }
  return {
    options,
    registryOf: (scope) => {
      const key = `${scope}:registry`;
      const named = OF_USER.has(user.find(key) ?? "") ? options[key] : undefined;
      return typeof named === "string" ? named : undefined;
    },
  };
}

/** What a registry of a scope, another settings file or a text from the environment has in it. */
const NAMES_OR_LEADS_ON = /@|\$|config|prefix/iu;

/**
 * Whether `registryOf` can have an answer for any scope. npm's own reader of settings takes longer than to install a
 * hundred cards, and most machines name no registry for a scope: where neither the environment nor the user's or the
 * global file holds what such a line needs, it is not asked.
 */
export function mayNameRegistries({ home, env, nodePath }: Machine): boolean {
  if (Object.keys(env).some((name) => /^npm_config_|^prefix$|^destdir$/iu.test(name))) return true;
  const globalPrefix = process.platform === "win32" ? path.dirname(nodePath) : path.dirname(path.dirname(nodePath));
  return [path.join(home, ".npmrc"), path.join(globalPrefix, "etc", "npmrc")].some((file) => {
    const text = readText(file);
    return text !== undefined && NAMES_OR_LEADS_ON.test(text);
  });
}

/** Text that cannot be read is npm's to judge. */
function readText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    return hasCode(error, "ENOENT") ? undefined : "@";
  }
}

async function load({ home, env, nodePath }: Machine, cwd: string) {
  const { default: Config } = await import("@npmcli/config");
  const { default: npm } = await import("@npmcli/config/lib/definitions/index.js");
  const config = new Config({
    definitions: npm.definitions,
    shorthands: npm.shorthands,
    flatten: npm.flatten,
    npmPath: nodePath,
    // The library writes to what it is given.
    env: { ...env, HOME: home },
    argv: [],
    execPath: nodePath,
    cwd,
    warn: false,
  });
  await config.load();
  return config;
}
