import fs from "node:fs";
import path from "node:path";
import { parseCardName } from "../card/name.ts";
import { layout } from "../contract/layout.ts";
import { listFolder, packageFile, writeAtomic } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readFormatIfThere } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean, isNear } from "../kernel/text.ts";
import { identifyProject } from "../project/identity.ts";
import { requireOwnHome } from "../project/open/check-home.ts";

const schema = z.strictObject({
  version: z.literal(1),
  /** Folders by name. */
  sources: z.record(z.string(), z.string()),
  /** By name, which folder was there: another one in its place is nobody's own. */
  identities: z.record(z.string(), z.string()),
});

/**
 * The folder of a card source, from its name or its path. drwn finds sources made by `card new` by name from anywhere.
 */
export function findSource(host: Host, nameOrPath: string): string {
  if (nameOrPath.startsWith("@")) {
    const name = parseCardName(nameOrPath);
    const listed = readSources(host).get(name) ?? standardFolder(host, name);
    if (fs.existsSync(path.join(listed, "card.json"))) return listed;
    const known = [...readSources(host).keys()];
    const near = known.filter((one) => isNear(name, one));
    throw new Problem("DRWN_SOURCE_MISSING", `there is no card source named ${name}`, {
      details: known.length > 0 ? [`sources on this machine: ${known.join(", ")}`] : [],
      hint: `drwn card new ${name}, or where it is: drwn card source use <folder>`,
      meant: near.length === 1 && near[0] !== undefined ? { typed: nameOrPath, word: near[0] } : undefined,
    });
  }
  const folder = path.resolve(host.cwd, nameOrPath);
  if (fs.existsSync(path.join(folder, "card.json"))) return folder;
  const known = [...readSources(host)];
  const [around] = known.find(([, source]) => folder.startsWith(`${source}${path.sep}`)) ?? [];
  const names = around === undefined ? known.map(([name]) => name) : [around];
  const word = names.length === 1 ? names[0] : "<card>";
  throw new Problem("DRWN_SOURCE_MISSING", `there is no card source in ${clean(folder, 1_000)}`, {
    details: names.length > 1 ? [`sources on this machine: ${names.join(", ")}`] : [],
    hint: "drwn card new <@scope/name>",
    meant: names.length === 0 || word === undefined ? undefined : { typed: nameOrPath, word },
  });
}

/** Runs a search for a published card. If it is a source here that nobody has published, the error says how to. */
export async function publishedFirst<T>(host: Host, name: string | null, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    const isMissing = isProblem(error) && error.code === "DRWN_CARD_NOT_FOUND" && name !== null;
    if (!isMissing || !readSources(host).has(name)) throw error;
    const details = [`its source here isn't published yet`];
    throw new Problem(error.code, error.message, { details, hint: `drwn card publish ${name}`, cause: error });
  }
}

/** Where `card new` puts a source by default. */
export function standardFolder(host: Host, name: string): string {
  return path.join(layout.sources(host.drwnHome), ...name.split("/"));
}

/** Every source that this machine knows by name: those in the standard place, and those made elsewhere that still exist. */
export function readSources(host: Host): Map<string, string> {
  const found = new Map<string, string>();
  const root = layout.sources(host.drwnHome);
  for (const scope of listFolder(root).filter((name) => name.startsWith("@"))) {
    for (const name of listFolder(path.join(root, scope))) found.set(`${scope}/${name}`, path.join(root, scope, name));
  }
  const listed = readFormatIfThere(layout.sourceList(host.drwnHome), schema)?.sources ?? {};
  for (const [name, folder] of Object.entries(listed)) found.set(name, folder);
  for (const [name, folder] of found) if (!fs.existsSync(path.join(folder, "card.json"))) found.delete(name);
  return new Map([...found].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/**
 * Whether a source is this user's own: this machine made it, or a person registered it here, or it came with drwn. A
 * folder with a card.json proves nothing: it may be a part of a cloned repository.
 */
export function isOwnSource(host: Host, folder: string): boolean {
  const real = realPathOf(folder);
  if (path.dirname(real) === realPathOf(packageFile("templates/cards"))) return true;
  // A repository could bring a list of sources with a variable that leads to it.
  for (const place of [real, host.cwd]) requireOwnHome(host, identifyProject(place));
  const { sources = {}, identities = {} } = readFormatIfThere(layout.sourceList(host.drwnHome), schema) ?? {};
  return [...readSources(host)].some(([name, known]) => {
    if (realPathOf(known) !== real) return false;
    return sources[name] !== known || identities[name] === identify(real);
  });
}

/** A folder that is made in the place of a removed one often gets its inode number, but not its time of birth. */
export function identify(folder: string): string | undefined {
  const stat = fs.statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}:${stat.birthtimeNs}`;
}

function realPathOf(folder: string): string {
  return fs.existsSync(folder) ? fs.realpathSync(folder) : path.resolve(folder);
}

/** Remembers the folder of a source that isn't in the standard place. */
export async function rememberSource(host: Host, name: string, folder: string): Promise<void> {
  if (folder === standardFolder(host, name)) return;
  const file = layout.sourceList(host.drwnHome);
  await withLock(layout.lock(host.drwnHome, "sources"), () => {
    const { sources = {}, identities = {} } = readFormatIfThere(file, schema) ?? {};
    const named = { sources: { ...sources, [name]: folder }, identities: { ...identities, [name]: identify(folder) } };
    writeAtomic(file, formatJson({ version: 1, ...named }));
  });
}
