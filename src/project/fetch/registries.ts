import path from "node:path";
import { cardScopeOf } from "../../card/name.ts";
import { layout } from "../../contract/layout.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { CATALOGUE_SCOPE, openCatalogue } from "../../registry/catalogue.ts";
import { openFolderRegistry } from "../../registry/folder.ts";
import { type Http, openHttp } from "../../registry/http/http.ts";
import { loadNpmSettings, mayNameRegistries, type NpmSettings } from "../../registry/http/npm-settings.ts";
import { openNpmRegistry } from "../../registry/npm/npm.ts";
import type { Registry } from "../../registry/registry.ts";
import { DEFAULT_REGISTRY, type NamedRegistry, readRegistrySettings } from "../../registry/settings.ts";
import { openStaticRegistry } from "../../registry/static.ts";
import { openDefaultRegistry } from "./fetch-card.ts";

/**
 * The one registry that the card's scope belongs to. `@drwn` always belongs to drwn's own; other scopes belong to the
 * registry that was set for them, else to the one that the user's .npmrc names, else to the folder of this machine. If
 * it doesn't have the card, drwn asks no other.
 */
export async function openRegistryOf(host: Host, card: string): Promise<Registry> {
  const scope = cardScopeOf(card);
  if (scope === CATALOGUE_SCOPE) return openCatalogue();
  const { scopes } = readRegistrySettings(host.drwnHome);
  const named = Object.hasOwn(scopes, scope) ? scopes[scope] : undefined;
  if (named !== undefined) return openNamedRegistry(host, named);
  if (!mayNameRegistries(host)) return openDefaultRegistry(host);
  const npm = await loadNpmSettings(host);
  const url = npm.registryOf(scope);
  return url === undefined ? openDefaultRegistry(host) : openNpm(url, npm);
}

export async function openNamedRegistry(host: Host, name: string): Promise<Registry> {
  if (name === DEFAULT_REGISTRY) return openDefaultRegistry(host);
  const { registries } = readRegistrySettings(host.drwnHome);
  const found = Object.hasOwn(registries, name) ? registries[name] : undefined;
  if (found !== undefined) return open(host, found);
  throw new Problem("DRWN_REGISTRY_UNKNOWN", `no registry is called ${clean(name, 80)}`, {
    details: [`there are: ${[DEFAULT_REGISTRY, ...Object.keys(registries)].join(", ")}`],
    hint: `drwn registry add ${clean(name, 80)} <url or folder>`,
  });
}

/**
 * For a tarball by its URL, which belongs to no registry. A project may have named it, and npm would send it the user's
 * token for its host; drwn sends a token only below a registry that the user has named.
 */
export async function openWeb(host: Host): Promise<Http> {
  const { options, registries } = await loadNpmSettings(host);
  const added = Object.values(readRegistrySettings(host.drwnHome).registries).map(({ location }) => location);
  return openHttp({ options, registries: [...registries, ...added] });
}

async function open(host: Host, { kind, location }: NamedRegistry): Promise<Registry> {
  switch (kind) {
    case "folder":
      return openFolderRegistry(location, folderId(host, location));
    case "npm":
      return openNpm(location, await loadNpmSettings(host));
    case "static":
      return openStaticRegistry(location, openRegistryHttp(await loadNpmSettings(host)));
  }
}

/** The folder of this machine has one identity, by whatever path it is named. */
function folderId(host: Host, location: string): string {
  const isOwn = path.resolve(location) === path.resolve(layout.registry(host.drwnHome));
  return isOwn ? openDefaultRegistry(host).id : `folder:${location}`;
}

function openNpm(url: string, settings: NpmSettings): Registry {
  return openNpmRegistry({ url, http: openRegistryHttp(settings), options: settings.options });
}

/** The user has named the registry, so its credentials may be used for everything it hands out. */
function openRegistryHttp({ options }: NpmSettings): Http {
  return openHttp({ options });
}
