import fs from "node:fs";
import path from "node:path";
import { parseCardName } from "../../card/name.ts";
import { layout } from "../../contract/layout.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { CATALOGUE_SCOPE, notYours } from "../../registry/catalogue.ts";
import { parseBaseUrl } from "../../registry/http/url.ts";
import { forgetVersions } from "../../registry/seen-versions.ts";
import {
  DEFAULT_REGISTRY,
  type NamedRegistry,
  parseCardScope,
  parseRegistryName,
  type RegistrySettings,
  readRegistrySettings,
  writeRegistrySettings,
} from "../../registry/settings.ts";
import { openRegistryOf } from "../../supply/registries.ts";
import { requirePerson } from "../../workspace/require-person.ts";

export interface ListedRegistry extends NamedRegistry {
  name: string;
  /** The scopes that were given to it. */
  scopes: string[];
}

/** This user's registries, the folder on this machine first. */
export function listRegistries({ drwnHome }: Host): ListedRegistry[] {
  const { registries, scopes } = readRegistrySettings(drwnHome);
  const own: NamedRegistry = { kind: "folder", location: layout.registry(drwnHome) };
  return Object.entries({ [DEFAULT_REGISTRY]: own, ...registries }).map(([name, registry]) => ({
    name,
    ...registry,
    scopes: Object.keys(scopes).filter((scope) => scopes[scope] === name),
  }));
}

interface AddedRegistry {
  name: string;
  location: string;
  isStatic: boolean;
  /** The scopes whose cards come from it. */
  scopes?: readonly string[];
}

/** A URL is a server that speaks npm's protocol, or with `isStatic` a folder registry behind a web server; else a folder. */
export async function addRegistry(host: Host, asked: AddedRegistry): Promise<ListedRegistry> {
  const { name, location, isStatic, scopes = [] } = asked;
  parseRegistryName(name);
  scopes.forEach(requireYourScope);
  const registry = describe(host, location, isStatic);
  requirePerson(
    host,
    "name a registry",
    `drwn registry add ${name} ${shellQuote(location)}${isStatic ? " --static" : ""}${scopes.map((one) => ` --scope ${one}`).join("")}`,
  );
  return changeSettings(host, (settings) => {
    const known = name === DEFAULT_REGISTRY ? true : Object.hasOwn(settings.registries, name);
    if (known) {
      throw new Problem("DRWN_REGISTRY_EXISTS", `a registry is called ${name} already`, {
        hint: `choose another name, or: drwn registry remove ${name}`,
      });
    }
    settings.registries[name] = registry;
    for (const scope of scopes) settings.scopes[scope] = name;
    return { name, ...registry, scopes: [...scopes] };
  });
}

export interface CardScopesOfRegistry {
  name: string;
  scopes: readonly string[];
}

/** Takes cards of these scopes from this registry, and from no other, from now on: all of them, or none. */
export async function setCardScopes(
  host: Host,
  scopes: readonly string[],
  name: string,
): Promise<CardScopesOfRegistry> {
  scopes.forEach(requireYourScope);
  const flags = scopes.map((scope) => ` --scope ${scope}`).join("");
  requirePerson(host, `say where cards of ${scopes.join(", ")} come from`, `drwn registry add ${name}${flags}`);
  return changeSettings(host, (settings) => {
    requireKnown(settings, name);
    for (const scope of scopes) settings.scopes[scope] = name;
    return { name, scopes };
  });
}

/** Refuses to remove a registry that scopes belong to: their cards would silently come from somewhere else. */
export async function removeRegistry(host: Host, name: string): Promise<{ removed: string }> {
  requirePerson(host, "remove a registry", `drwn registry remove ${name}`);
  return changeSettings(host, (settings) => {
    requireKnown(settings, name);
    const scopes = Object.keys(settings.scopes).filter((scope) => settings.scopes[scope] === name);
    const [scope] = scopes;
    if (name === DEFAULT_REGISTRY || scope !== undefined) {
      const why = scope === undefined ? "it is always there" : `${scopes.join(", ")} belong to it`;
      throw new Problem("DRWN_REGISTRY_UNABLE", `the registry ${name} stays: ${why}`, {
        ...(scope === undefined ? {} : { hint: `drwn registry add ${DEFAULT_REGISTRY} --scope ${scope}` }),
      });
    }
    delete settings.registries[name];
    return { removed: name };
  });
}

/** Accepts what the card's registry lists, though it listed more before. */
export async function acceptVersions(host: Host, name: string): Promise<{ card: string; registry: string }> {
  const card = parseCardName(name);
  requirePerson(host, `accept a list of ${card} with fewer versions than before`, `drwn registry accept ${card}`);
  const registry = await openRegistryOf(host, card);
  forgetVersions(registry, host.drwnHome, card);
  return { card, registry: registry.id };
}

function describe({ cwd }: Host, location: string, isStatic: boolean): NamedRegistry {
  if (/^https?:\/\//iu.test(location)) return { kind: isStatic ? "static" : "npm", location: parseBaseUrl(location) };
  if (isStatic || /^[a-z][a-z0-9+.-]*:/iu.test(location)) {
    throw new Problem("DRWN_URL_REFUSED", "a registry is at an https URL, or in a folder", {
      hint: "drwn registry add <name> https://… [--static], or: drwn registry add <name> <folder>",
    });
  }
  const folder = path.resolve(cwd, location);
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new Problem("DRWN_REGISTRY_INVALID", `${clean(folder)} isn't a folder`);
  }
  return { kind: "folder", location: folder };
}

function requireYourScope(scope: string): void {
  parseCardScope(scope);
  if (scope === CATALOGUE_SCOPE) throw notYours(CATALOGUE_SCOPE);
}

function requireKnown({ registries }: RegistrySettings, name: string): void {
  if (name === DEFAULT_REGISTRY || Object.hasOwn(registries, name)) return;
  throw new Problem("DRWN_REGISTRY_UNKNOWN", `no registry is called ${clean(name, 80)}`, {
    details: [`there are: ${[DEFAULT_REGISTRY, ...Object.keys(registries)].join(", ")}`],
    hint: "drwn registry list",
  });
}

/** Reads, changes and writes this user's settings under a lock. `note` is that of `writeNoted`. */
export async function changeSettings<T>(
  { drwnHome }: Host,
  change: (settings: RegistrySettings) => T,
  note: () => void = () => undefined,
): Promise<T> {
  return withLock(layout.lock(drwnHome, "settings"), () => {
    const settings = structuredClone(readRegistrySettings(drwnHome));
    const answer = change(settings);
    writeRegistrySettings(drwnHome, settings, note);
    return answer;
  });
}
