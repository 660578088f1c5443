import { createHash } from "node:crypto";
import { CARD_KEYWORD, makePackageJson } from "../../card/archive/read-card.ts";
import { CARD_LIMITS } from "../../card/files.ts";
import { parseCardName } from "../../card/name.ts";
import type { PackedCard } from "../../card/source/pack.ts";
import { compareVersions, isPrerelease, minorOf } from "../../card/version.ts";
import * as z from "../../kernel/format/zod.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { requireHonestBump } from "../bump.ts";
import type { Http, HttpSettings } from "../http/http.ts";
import { parseBaseUrl, parseHttpUrl, showUrl } from "../http/url.ts";
import {
  type Annotation,
  type FoundCard,
  type PublishedVersion,
  parseAnswer,
  type Registry,
  requirePublished,
  versionExists,
} from "../registry.ts";
import {
  listCardVersions,
  type NpmVersion,
  PACKUMENT_BYTES,
  type Packument,
  parsePackument,
  printNote,
} from "./packument.ts";

interface NpmRegistrySettings {
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
    versions: async (name) => (await listVersions(at, name)).map(withoutTarball),
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
  const published = packument === undefined ? [] : listCardVersions(packument);
  if (packument !== undefined && Object.hasOwn(packument.versions, version))
    throw versionExists(name, version, { where: [`at: ${at.base}`] });
  await requireHonestBump(card, published, (lower) => fetch(name, lower));
  try {
    await uploadCard(at, card, { options, published: published.map((known) => known.version) });
  } catch (error) {
    // The answer may have been lost, or another publisher may have been faster: the registry knows.
    const there = (await listVersions(at, name)).find((known) => known.version === version);
    if (there === undefined) throw error;
    const isConflict = error instanceof Problem && error.code !== "DRWN_REGISTRY_UNREACHABLE";
    if (isConflict || there.integrity !== card.integrity)
      throw versionExists(name, version, { where: [`at: ${at.base}`] });
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

function withoutTarball({ tarball: _, ...published }: NpmVersion): PublishedVersion {
  return published;
}

interface Destination {
  options: HttpSettings["options"];
  /** Versions that are published already. */
  published: readonly string[];
}

const DEADLINE_MS = 300_000;

/** Publishes a card to an npm registry with the request of `npm publish`. */
async function uploadCard(at: Opened, card: PackedCard, { options, published }: Destination): Promise<void> {
  const { name, version } = card.manifest;
  const tarball = `${name}-${version}.tgz`;
  const manifest = JSON.parse(makePackageJson(card.manifest, card.index.hooks));
  const described = {
    ...manifest,
    drwn: { ...manifest.drwn, tree: card.tree, publisher: card.publisher },
    _id: `${name}@${version}`,
    dist: {
      integrity: card.integrity,
      shasum: createHash("sha1").update(card.tarball).digest("hex"),
      tarball: new URL(`${name}/-/${tarball}`, at.base).href,
    },
  };
  const data = card.tarball.toString("base64");
  const body = {
    _id: name,
    name,
    description: manifest.description,
    access: options["access"],
    "dist-tags": { [tagFor(version, published)]: version },
    versions: { [version]: described },
    _attachments: { [tarball]: { content_type: "application/octet-stream", data, length: card.tarball.length } },
  };
  await at.http.put(packumentUrl(at, name), body, { action: `publish ${name}`, deadlineMs: DEADLINE_MS });
}

/** `latest` is the highest release and never goes back; people can still get other versions by their number. */
function tagFor(version: string, published: readonly string[]): string {
  if (published.length === 0) return "latest";
  if (isPrerelease(version)) return "next";
  const isHighest = published.every((known) => isPrerelease(known) || compareVersions(known, version) < 0);
  return isHighest ? "latest" : `release-${minorOf(version)}`;
}

const answerSchema = z.looseObject({ objects: z.array(z.looseObject({ package: z.looseObject({}) })) });

const foundSchema = z.looseObject({
  name: z.string(),
  // npm names the version; Verdaccio says what the tags mean.
  version: z.string().optional(),
  "dist-tags": z.looseObject({ latest: z.string().optional() }).default({}),
  description: z.string().default(""),
  keywords: z.array(z.string()),
});

/** The cards among the packages that the registry finds. */
async function searchNpm(http: Http, base: string, text: string): Promise<FoundCard[]> {
  const from = `${base}-/v1/search`;
  const limits = { maximumBytes: PACKUMENT_BYTES };
  // Without a word a server would answer with any of its packages.
  const query = new URLSearchParams({ text: text.trim() === "" ? `keywords:${CARD_KEYWORD}` : text, size: "100" });
  const bytes = await http.get(`${from}?${query}`, { ...limits, accept: "application/json" });
  if (bytes === undefined) throw new Problem("DRWN_REGISTRY_UNABLE", `${base} cannot be searched`);
  return parseAnswer(bytes, answerSchema, { from, ...limits }).objects.flatMap((found): FoundCard[] => {
    const parsed = foundSchema.safeParse(found.package);
    if (!parsed.success || !parsed.data.keywords.includes(CARD_KEYWORD)) return [];
    const { name, description, version = parsed.data["dist-tags"].latest } = parsed.data;
    return version === undefined ? [] : [{ name, version, description }];
  });
}
