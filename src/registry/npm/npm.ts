import { CARD_LIMITS } from "../../card/limits.ts";
import { parseCardName } from "../../card/name.ts";
import type { PackedCard } from "../../card/source/pack.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { requireHonestBump } from "../bump.ts";
import type { Http, HttpSettings } from "../http/http.ts";
import { parseBaseUrl, parseHttpUrl, showUrl } from "../http/url.ts";
import type { Annotation, PublishedVersion, Registry } from "../registry.ts";
import { requirePublished } from "../tarball.ts";
import { versionExists } from "../version-exists.ts";
import {
  listCardVersions,
  type NpmVersion,
  PACKUMENT_BYTES,
  type Packument,
  parsePackument,
  printNote,
} from "./packument.ts";
import { uploadCard } from "./put-card.ts";
import { searchNpm } from "./search.ts";

export interface NpmRegistrySettings {
  url: string;
  http: Http;
  /** In the form of npm's libraries. */
  options: HttpSettings["options"];
}

/** A registry that speaks npm's protocol: npm itself, Verdaccio, GitHub Packages, Artifactory and others. */
export function openNpmRegistry({ url, http, options }: NpmRegistrySettings): Registry {
  const base = parseBaseUrl(url);
  const at: Opened = { base, http };
  const fetch = async (name: string, version: string) => fetchTarball(at, await requireVersion(at, name, version));
  return {
    id: `npm:${base}`,
    versions: async (name) => (await listVersions(at, name)).map(withoutDist),
    fetch,
    publish: async (card) => publish(at, card, { options, fetch }),
    annotate: (name, version, note) => annotate(at, { name, version, note }),
    search: (text) => searchNpm(http, base, text),
  };
}

interface Opened {
  base: string;
  http: Http;
}

function packumentUrl({ base }: Opened, name: string): string {
  return `${base}${parseCardName(name).replace("/", "%2f")}`;
}

async function readPackument(at: Opened, name: string): Promise<Packument | undefined> {
  const url = packumentUrl(at, name);
  const bytes = await at.http.get(url, { maximumBytes: PACKUMENT_BYTES, accept: "application/json" });
  return bytes === undefined ? undefined : parsePackument(bytes, { file: url, name });
}

async function listVersions(at: Opened, name: string): Promise<NpmVersion[]> {
  const packument = await readPackument(at, name);
  return packument === undefined ? [] : listCardVersions(packument);
}

async function requireVersion(at: Opened, name: string, version: string): Promise<NpmVersion> {
  const found = (await listVersions(at, name)).find((published) => published.version === version);
  if (found !== undefined) return found;
  throw new Problem("DRWN_VERSION_NOT_FOUND", `${at.base} has no card ${name}@${clean(version, 80)}`);
}

async function fetchTarball({ base, http }: Opened, published: NpmVersion): Promise<Buffer> {
  const { name, version, tarball } = published;
  const url = parseHttpUrl(tarball, new URL(base));
  if (url.origin !== new URL(base).origin) {
    throw new Problem("DRWN_URL_REFUSED", `the tarball of ${name}@${version} is not at its registry`, {
      details: [`registry: ${base}`, `tarball: ${showUrl(url)}`],
    });
  }
  const bytes = await http.get(url.href, { maximumBytes: CARD_LIMITS.tarballBytes });
  return requirePublished({ published, bytes, place: showUrl(url) });
}

interface Publication {
  options: HttpSettings["options"];
  fetch: Registry["fetch"];
}

async function publish(at: Opened, card: PackedCard, { options, fetch }: Publication): Promise<void> {
  const { name, version } = card.manifest;
  const packument = await readPackument(at, name);
  const published = packument === undefined ? [] : await listCardVersions(packument);
  if (packument !== undefined && Object.hasOwn(packument.versions, version))
    throw versionExists(name, version, [`at: ${at.base}`]);
  await requireHonestBump(card, published, (lower) => fetch(name, lower));
  try {
    await uploadCard(card, { base: at.base, options, published: published.map((known) => known.version) });
  } catch (error) {
    // The answer may have been lost, or another publisher may have been faster: the registry knows.
    const there = (await listVersions(at, name)).find((known) => known.version === version);
    if (there === undefined) throw error;
    const isConflict = error instanceof Problem && error.code !== "DRWN_REGISTRY_UNREACHABLE";
    if (isConflict || there.integrity !== card.integrity) throw versionExists(name, version, [`at: ${at.base}`]);
  }
}

async function annotate(
  at: Opened,
  { name, version, note }: { name: string; version: string; note: Annotation },
): Promise<void> {
  const known = await requireVersion(at, name, version);
  const packument = await readPackument(at, name);
  const entry = packument?.versions[version];
  if (packument === undefined || entry === undefined) return;
  const { deprecated = known.deprecated, yanked = known.yanked } = note;
  const versions = { ...packument.versions, [version]: { ...entry, deprecated: printNote({ deprecated, yanked }) } };
  await at.http.put(packumentUrl(at, name), { ...packument, versions }, { action: `change ${name}` });
}

function withoutDist({ tarball: _, dist: __, ...published }: NpmVersion): PublishedVersion {
  return published;
}
