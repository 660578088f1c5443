import { parseRequest } from "../card/request.ts";
import { isRange } from "../card/version.ts";
import type { ProblemCode } from "../kernel/codes.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { readInstalled } from "../materialize/installed-card.ts";
import type { LockedCard } from "../project/lock.ts";
import { readVendored, vendoredFile } from "../project/vendor.ts";
import { unpack } from "../registry/tarball-source.ts";
import { isStored, putCard } from "../store/store.ts";
import { fetchCard, requireSame } from "./fetch-card.ts";
import { openCardSource, type Place } from "./lock-card.ts";
import { openRegistryOf } from "./registries.ts";

/**
 * Makes sure that the store holds exactly the locked bytes: as they are there, else from the project's vendor folder, else
 * from where the lock says. A registry on this machine is compared with the lock each time; all others only when something
 * has to be fetched, so that a warm store needs no network.
 */
export async function restoreCard(place: Place, locked: LockedCard): Promise<{ fetched: boolean }> {
  const { drwnHome: home } = place.host;
  if (isIntact(home, locked)) {
    if (locked.source.startsWith("folder:")) await compareWithFolder(place, locked);
    return { fetched: false };
  }
  if (!(await restoreVendored(place, locked))) await restoreFromSource(place, locked);
  readInstalled(home, locked);
  return { fetched: true };
}

function isIntact(home: string, locked: LockedCard): boolean {
  if (!isStored(home, locked.tree)) return false;
  try {
    readInstalled(home, locked);
    return true;
  } catch (error) {
    if (isProblem(error) && error.code === "DRWN_INTEGRITY_MISMATCH") return false;
    throw error;
  }
}

async function compareWithFolder({ host }: Place, locked: LockedCard): Promise<void> {
  const registry = await openRegistryOf(host, locked.name);
  if (registry.id !== locked.source) return;
  const published = (await registry.versions(locked.name)).find(({ version }) => version === locked.version);
  if (published === undefined) return;
  const subject = `${locked.name}@${locked.version}`;
  requireSame(subject, "tarball", { expected: locked.integrity, received: published.integrity });
  requireSame(subject, "tree", { expected: locked.tree, received: published.tree });
}

async function restoreVendored({ host, base }: Place, locked: LockedCard): Promise<boolean> {
  const tarball = readVendored(base, locked);
  if (tarball === undefined) return false;
  const { files, tree } = await unpack(tarball);
  requireSame(`${locked.name}@${locked.version} in ${vendoredFile(base, locked)}`, "tree", {
    expected: locked.tree,
    received: tree,
  });
  putCard(host.drwnHome, files, tree);
  return true;
}

async function restoreFromSource(place: Place, locked: LockedCard): Promise<void> {
  try {
    if (isRange(locked.range)) await restoreFromRegistry(place, locked);
    else await restoreFromPlace(place, locked);
  } catch (error) {
    if (!isProblem(error) || !UNAVAILABLE.has(error.code)) throw error;
    throw unavailable(place.base, locked, error);
  }
}

async function restoreFromRegistry({ host }: Place, locked: LockedCard): Promise<void> {
  const registry = await openRegistryOf(host, locked.name);
  const subject = `${locked.name}@${locked.version}`;
  if (registry.id !== locked.source) {
    throw new Problem("DRWN_REGISTRY_UNKNOWN", `here ${locked.name} would come from ${registry.id}`);
  }
  const published = (await registry.versions(locked.name)).find(({ version }) => version === locked.version);
  if (published === undefined) throw new Problem("DRWN_VERSION_NOT_FOUND", `${registry.id} does not have ${subject}`);
  requireSame(subject, "tarball", { expected: locked.integrity, received: published.integrity });
  if (published.tree !== "") requireSame(subject, "tree", { expected: locked.tree, received: published.tree });
  await fetchCard(host, registry, published);
}

/** Only the tree is compared: a card that is packed here has the bytes of this Node's compression. */
async function restoreFromPlace(place: Place, locked: LockedCard): Promise<void> {
  const request = parseRequest(locked.range);
  if (request.kind === "range") return;
  const { files, tree } = await openCardSource(place, request).fetchLocked(
    locked.commit === undefined ? {} : { commit: locked.commit },
  );
  requireSame(`${locked.name}@${locked.version}`, "tree", { expected: locked.tree, received: tree });
  putCard(place.host.drwnHome, files, tree);
}

/** What is not there; what is there and wrong is a problem of its own. */
const UNAVAILABLE: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "DRWN_REGISTRY_UNKNOWN",
  "DRWN_REGISTRY_UNREACHABLE",
  "DRWN_REGISTRY_REFUSED",
  "DRWN_VERSION_NOT_FOUND",
  "DRWN_CARD_NOT_FOUND",
  "DRWN_SOURCE_MISSING",
  "DRWN_GIT_FAILED",
]);

function unavailable(root: string, locked: LockedCard, why: Problem): Problem {
  return new Problem("DRWN_CARD_UNAVAILABLE", `${locked.name}@${locked.version} is neither vendored nor to be had`, {
    details: [
      `vendored: no, there is no ${vendoredFile(root, locked)}`,
      `locked to: ${clean(locked.source, 200)}`,
      `which fails: ${[why.message, ...why.details].join("; ")}`,
    ],
    hint: hintFor(locked, why) ?? "where the card is installed: drwn vendor, and commit .agents/drwn/vendor",
    cause: why,
  });
}

function hintFor({ name, source }: LockedCard, why: Problem): string | undefined {
  if (why.code !== "DRWN_REGISTRY_UNKNOWN") return why.hint;
  const location = source.slice(source.indexOf(":") + 1);
  const scope = name.slice(0, name.indexOf("/"));
  const kind = source.startsWith("static:") ? " --static" : "";
  if (source === "folder:default") {
    return "it was published to a folder of another machine: drwn vendor there, or publish it to a registry that you share";
  }
  return `if you trust that registry: drwn registry add team ${clean(location, 200)}${kind} && drwn registry set-scope ${scope} team`;
}
