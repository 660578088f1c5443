import type { CardFiles } from "../../card/files.ts";
import { skillsOf } from "../../card/manifest.ts";
import { cardScopeOf } from "../../card/name.ts";
import { originIdOf, parseRequest } from "../../card/request.ts";
import { isPublisherKey } from "../../card/signing/publisher-key.ts";
import type { CardSignature } from "../../card/signing/signature.ts";
import { checkSkills } from "../../card/skill/skill.ts";
import { isRange } from "../../card/version.ts";
import { layout } from "../../contract/layout.ts";
import { advise, drwn, type Text } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { isProblem, Problem, type ProblemCode } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { CATALOGUE_REGISTRY, CATALOGUE_SCOPE, notYours } from "../../registry/catalogue.ts";
import type { PublishedVersion, Registry } from "../../registry/registry.ts";
import { isStored, readSignatureOf, readStored, sealStored } from "../../registry/store.ts";
import { unpack } from "../../registry/tarball-origin.ts";
import { readPins, requirePublisher, withPublisher, writePins } from "../../trust/publisher.ts";
import { rememberOrigin } from "../../trust/releases.ts";
import { type LockedCard, readVendored, vendoredFile } from "../lock.ts";
import { checkInstalled, readInstalled } from "../open/installed-card.ts";
import { fetchVerified, keepLocked, requireLocked, requireSame } from "./fetch-card.ts";
import { type LockContext, openCardOrigin, registryOf } from "./lock-card.ts";

export interface RestoreResult {
  fetched: boolean;
  /** Why its publisher says not to use it; null also if drwn asked no registry. */
  deprecated: string | null;
}

/**
 * Makes sure that the store holds exactly the locked bytes: those in the store, else from the project's vendor folder,
 * else from where the lock says. Compares a registry on this machine with the lock each time; others only if it has to
 * fetch something, so that a warm store needs no network. Wherever the card comes from, it must be its publisher's. Only
 * the installed drwn hands out cards of its own scope: no lock, vendor folder or store can vouch for one.
 */
export async function restoreCard(place: LockContext, locked: LockedCard): Promise<RestoreResult> {
  const { drwnHome: home, progress } = place.host;
  progress(`verifying ${locked.name}@${locked.version}`);
  const registry = isRange(locked.range) ? await registryOf(place, locked.name) : undefined;
  const stored = readIntact(home, locked);
  if (stored !== undefined) sealStored(home, locked.tree);
  const id = registry?.id ?? originIdOf(parseRequest(locked.range));
  const isOurs = cardScopeOf(locked.name) === CATALOGUE_SCOPE;
  if (isOurs && (id !== CATALOGUE_REGISTRY || locked.source !== id)) throw notYours(CATALOGUE_SCOPE);
  let published = id === locked.source ? await compareHere(place, locked, registry) : undefined;
  if (stored === undefined || id !== locked.source) {
    const isVendored = !isOurs && (await restoreVendored(place, locked));
    if (!isVendored) published = await restoreFromSource(place, locked, registry);
  }
  const installed = stored === undefined ? readInstalled(home, locked) : checkInstalled(home, locked, stored);
  checkSkills(installed.files, skillsOf(installed.manifest));
  checkLockedPublisher(place.host, locked);
  return { fetched: stored === undefined, deprecated: published?.deprecated ?? null };
}

/** Faults of a stored card that fetching it again fixes. */
const FIXED_BY_FETCHING: readonly ProblemCode[] = [
  "DRWN_INTEGRITY_MISMATCH",
  "DRWN_SIGNATURE_MISSING",
  "DRWN_SIGNATURE_INVALID",
];

/** Undefined also if what is stored is damaged: then drwn fetches it again. */
function readIntact(home: string, locked: LockedCard): CardFiles | undefined {
  if (!isStored(home, locked.tree)) return undefined;
  try {
    const files = readStored(home, locked.tree);
    if (locked.publisher !== null) readSignatureOf(home, locked, locked.publisher);
    return files;
  } catch (error) {
    if (isProblem(error) && FIXED_BY_FETCHING.includes(error.code)) return undefined;
    throw error;
  }
}

/** What a registry on this machine has under the version; undefined: nothing, or the registry is elsewhere. */
async function compareHere(
  { host }: LockContext,
  locked: LockedCard,
  registry: Registry | undefined,
): Promise<PublishedVersion | undefined> {
  const isHere = registry?.id === CATALOGUE_REGISTRY || registry?.id.startsWith("folder:") === true;
  if (registry === undefined || !isHere) return undefined;
  const published = (await registry.versions(locked.name)).find(({ version }) => version === locked.version);
  if (published === undefined) return undefined;
  requireLocked(locked, published);
  rememberOrigin(host.drwnHome, locked.tree, registry.id);
  return published;
}

async function restoreVendored({ host, base }: LockContext, locked: LockedCard): Promise<boolean> {
  const tarball = readVendored(base, locked);
  if (tarball === undefined) return false;
  const card = await unpack(tarball);
  requireSame(`${locked.name}@${locked.version} in ${vendoredFile(base, locked)}`, "tree", {
    expected: locked.tree,
    received: card.tree,
  });
  await keepLocked(host, locked, { card, from: null });
  return true;
}

async function restoreFromSource(
  place: LockContext,
  locked: LockedCard,
  registry: Registry | undefined,
): Promise<PublishedVersion | undefined> {
  try {
    if (registry !== undefined) return await restoreFromRegistry(place, locked, registry);
    await restoreFromPlace(place, locked);
    return undefined;
  } catch (error) {
    const isOurs = registry?.id === CATALOGUE_REGISTRY;
    if (!isProblem(error) || !UNAVAILABLE.has(error.code) || isOurs) throw error;
    throw unavailable(place.base, locked, error);
  }
}

async function restoreFromRegistry(
  { host }: LockContext,
  locked: LockedCard,
  registry: Registry,
): Promise<PublishedVersion> {
  if (registry.id !== locked.source) {
    throw new Problem("DRWN_REGISTRY_UNKNOWN", `here ${locked.name} would come from ${registry.id}`);
  }
  const published = (await registry.versions(locked.name)).find(({ version }) => version === locked.version);
  if (published === undefined) {
    throw new Problem(
      "DRWN_VERSION_NOT_FOUND",
      `${registry.id} does not have ${locked.name}@${locked.version}`,
      registry.id === CATALOGUE_REGISTRY ? { hint: drwn("update", locked.name) } : {},
    );
  }
  requireLocked(locked, published);
  const card = await fetchVerified(host, registry, published);
  await keepLocked(host, locked, { card, from: registry.id });
  return published;
}

/** Compares only the tree: a card that is packed here has the bytes of this Node's compression. */
async function restoreFromPlace(place: LockContext, locked: LockedCard): Promise<void> {
  const request = parseRequest(locked.range);
  if (request.kind === "range") return;
  if (originIdOf(request) !== locked.source) {
    throw new Problem("DRWN_LOCK_OUTDATED", `card.lock names another source of ${locked.name} than was asked for`, {
      details: [`locked: ${clean(locked.source, 200)}`, `asked for: ${clean(locked.range, 200)}`],
      hint: advise`restore card.lock from version control, then: ${drwn("install")}`,
    });
  }
  const { tarball } = await openCardOrigin(place, request).fetchLocked(
    locked.commit === undefined ? {} : { commit: locked.commit },
  );
  await keepLocked(place.host, locked, { card: await unpack(tarball), from: locked.source });
}

/** The codes that mean that a card isn't there. One that is there but wrong has other codes. */
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
  return new Problem("DRWN_CARD_UNAVAILABLE", `${locked.name}@${locked.version} is neither vendored nor available`, {
    details: [
      `vendored: no, there is no ${vendoredFile(root, locked)}`,
      `locked to: ${clean(locked.source, 200)}`,
      `which fails: ${[why.message, ...why.details].join("; ")}`,
    ],
    hint:
      hintFor(locked, why) ??
      advise`on a machine that has the card: ${drwn("install", "--vendor")}, then commit .agents/drwn/vendor`,
    cause: why,
  });
}

function hintFor({ name, source }: LockedCard, why: Problem): Text | undefined {
  if (why.code !== "DRWN_REGISTRY_UNKNOWN") return why.hint;
  if (source === "folder:default") {
    return advise`it was published to a folder on another machine: run ${drwn("install", "--vendor")} there, or publish it to a registry that you share`;
  }
  // card.lock is somebody else's text, but people paste hints into a shell.
  const [, kind, location = ""] = /^(npm|static|folder):([\w:/.@~+-]+)$/u.exec(source) ?? [];
  if (kind === undefined) return advise`restore card.lock from version control, then: ${drwn("install")}`;
  const add = `drwn registry add team ${shellQuote(location)}${kind === "static" ? " --static" : ""}`;
  return `if you trust that registry: ${add} --scope ${cardScopeOf(name)}`;
}

/** Stops a locked card that doesn't come from its publisher, by the signature that was kept when it was fetched. */
export function checkLockedPublisher({ drwnHome: home }: Host, locked: LockedCard): CardSignature | null {
  const { name, version, publisher } = locked;
  const signature = publisher === null ? null : readSignatureOf(home, locked, publisher);
  requirePublisher(readPins(home), { name, version, signature, isLocked: true });
  return signature;
}

/** The first use pins the key. Called when the cards are locked: merely looking at a card leaves no trace. */
export async function pinPublishers({ drwnHome: home }: Host, cards: readonly LockedCard[]): Promise<void> {
  const signed = cards.flatMap(({ name, version, publisher }) =>
    publisher !== null && isPublisherKey(publisher) ? [{ name, version, publisher }] : [],
  );
  if (signed.length === 0) return;
  await withLock(layout.lock(home, "keys"), () => {
    const pins = readPins(home);
    const next = signed.reduce(withPublisher, pins);
    if (JSON.stringify(next) !== JSON.stringify(pins)) writePins(home, next);
  });
}
