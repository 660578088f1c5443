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
