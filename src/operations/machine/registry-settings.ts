import fs from "node:fs";
import path from "node:path";
import { cardScopeOf, parseCardName } from "../../card/name.ts";
import { isRange } from "../../card/version.ts";
import { layout } from "../../contract/layout.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { openRegistryOf } from "../../project/fetch/registries.ts";
import { readVendored } from "../../project/lock.ts";
import { openProject } from "../../project/open/open-project.ts";
import { requirePerson } from "../../project/open/require-person.ts";
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

interface ListedRegistry extends NamedRegistry {
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

interface CardScopesOfRegistry {
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
      const why = scope === undefined ? "it is always there" : `cards of ${scopes.join(", ")} come from it`;
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
  requirePerson(
    host,
    `accept a list of ${card} with fewer versions than before`,
    `drwn card show ${card} --accept-fewer`,
  );
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

/** A registry from which the project's lock has cards that this machine would take from another one. */
interface RequestedRegistry extends NamedRegistry {
  scope: string;
  /** Where this machine takes cards of the scope from. */
  here: string;
  /** The cards that are locked from there. */
  cards: string[];
}

/**
 * The registries that `install` needs here and that nobody on this machine has accepted. card.lock only asks: otherwise
 * its author would decide whose cards a name means.
 */
export async function findRequestedRegistries(host: Host): Promise<RequestedRegistry[]> {
  const { root, lock } = openProject(host);
  const asked = new Map<string, RequestedRegistry>();
  for (const locked of lock.cards) {
    const { name, source, range } = locked;
    const registry = isRange(range) ? parseRegistryId(source) : undefined;
    if (registry === undefined || readVendored(root, locked) !== undefined) continue;
    const here = (await openRegistryOf(host, name)).id;
    if (here === source) continue;
    const scope = cardScopeOf(name);
    const known = asked.get(`${scope} ${source}`) ?? { ...registry, scope, here, cards: [] };
    asked.set(`${scope} ${source}`, { ...known, cards: [...known.cards, name] });
  }
  return [...asked.values()];
}

/** Takes cards of the scope from this registry from now on: a person has said so. */
export async function acceptRegistry(
  host: Host,
  { scope, kind, location }: RequestedRegistry,
): Promise<{ name: string }> {
  requirePerson(host, `say where cards of ${scope} come from`, "drwn init");
  const known = listRegistries(host);
  const same = known.find((one) => one.kind === kind && one.location === location)?.name;
  const name = same ?? freeName(scope, new Set(known.map((one) => one.name)));
  if (same === undefined) await addRegistry(host, { name, location, isStatic: kind === "static" });
  await setCardScopes(host, [scope], name);
  return { name };
}

/** `npm:https://…`, `static:https://…` or `folder:/…`; the folder below DRWN_HOME is nobody else's. */
function parseRegistryId(source: string): NamedRegistry | undefined {
  const found = /^(?:(npm|static):(https?:\/\/.+)|(folder):(\/.+))$/u.exec(source);
  if (found === null) return undefined;
  const [, web, url, folder, path] = found;
  if (folder !== undefined && path !== undefined) return { kind: "folder", location: path };
  return web !== undefined && url !== undefined ? { kind: web === "npm" ? "npm" : "static", location: url } : undefined;
}

/** `acme` for `@acme`, or the first of `acme-2`, `acme-3`, … that no registry has. */
function freeName(scope: string, taken: ReadonlySet<string>): string {
  const plain = scope.slice(1, 37);
  for (let at = 1; ; at++) {
    const name = at === 1 ? plain : `${plain}-${at}`;
    if (!taken.has(name)) return name;
  }
}
