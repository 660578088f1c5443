import { type ReadCard, readCard } from "../../card/archive/read-card.ts";
import { readTarball } from "../../card/archive/tarball.ts";
import type { IndexedHook } from "../../card/hooks/hook-index.ts";
import { cardScopeOf } from "../../card/name.ts";
import { layout } from "../../contract/layout.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import { type Integrity, integrityOf, isSameDigest } from "../../kernel/digest.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { CATALOGUE_REGISTRY, CATALOGUE_SCOPE, notYours } from "../../registry/catalogue.ts";
import { type FolderRegistry, openFolderRegistry } from "../../registry/folder.ts";
import type { PublishedVersion, Registry } from "../../registry/registry.ts";
import { isStored, keepSignature, putCard } from "../../registry/store.ts";
import { OWN_REGISTRY } from "../../trust/activation.ts";
import { readPins, requirePublisher } from "../../trust/publisher.ts";
import { rememberAgent, rememberOrigin, rememberRelease } from "../../trust/releases.ts";
import type { LockedCard } from "../lock.ts";

/** The registry that a card comes from by default: a folder on this machine. */
export function openDefaultRegistry(host: Host): FolderRegistry {
  return openFolderRegistry(layout.registry(host.drwnHome), OWN_REGISTRY);
}

/**
 * Downloads a card, verifies all of it, and stores it. The registry's description must agree with the packed card, and
 * the card must come from its publisher.
 */
export async function fetchCard(host: Host, registry: Registry, published: PublishedVersion): Promise<LockedCard> {
  const card = await fetchVerified(host, registry, published);
  const { name, version, integrity, tree, hooks, signature } = card;
  requirePublisher(readPins(host.drwnHome), { name, version, signature, isLocked: false });
  await keepCard(host, card, registry.id);
  if (published.publishedBy === "agent") rememberAgent(host.drwnHome, tree);
  const publisher = signature?.publisher ?? null;
  const commit = published.commit === undefined ? {} : { commit: published.commit };
  return { name, range: version, version, source: registry.id, integrity, tree, hooks, publisher, ...commit };
}

/**
 * Puts a locked card back into the store, wherever it was found: it must have the same contents and the same publisher.
 * `from`: the source that handed it out; null: the project did.
 */
export async function keepLocked(
  host: Host,
  locked: LockedCard,
  { card, from }: { card: ReadCard; from: string | null },
): Promise<void> {
  const { name, version } = locked;
  const { signature } = card;
  requireSame(`${name}@${version}`, "tree", { expected: locked.tree, received: card.tree });
  const publisher = signature?.publisher ?? null;
  if (locked.publisher !== publisher) throw otherPublisher(locked, publisher);
  requirePublisher(readPins(host.drwnHome), { name, version, signature, isLocked: true });
  await keepCard(host, card, from);
}

async function keepCard(
  { drwnHome: home, now }: Host,
  { files, tree, signature }: ReadCard,
  from: string | null,
): Promise<void> {
  await putCard(home, files, tree);
  rememberRelease(home, tree, now());
  if (from !== null) rememberOrigin(home, tree, from);
  if (signature !== null) keepSignature(home, tree, signature);
}

/** A card from a registry that agrees with everything the registry says about it. */
export interface FetchedCard extends ReadCard {
  name: string;
  version: string;
  integrity: Integrity;
  hooks: IndexedHook[];
}

/** Downloads and verifies; keeps nothing, and doesn't check whose key made the signature. */
export async function fetchVerified(host: Host, registry: Registry, published: PublishedVersion): Promise<FetchedCard> {
  const { name, version } = published;
  if (cardScopeOf(name) === CATALOGUE_SCOPE && registry.id !== CATALOGUE_REGISTRY) throw notYours(CATALOGUE_SCOPE);
  const isThere = published.tree !== "" && isStored(host.drwnHome, published.tree);
  if (!isThere) host.progress(`fetching ${name}@${version}`);
  const tarball = await registry.fetch(name, version);
  requireSame(`${name}@${version}`, "tarball", { expected: published.integrity, received: integrityOf(tarball) });
  const card = readCard(await readTarball(tarball));
  const { manifest, index, tree, signature } = card;
  if (published.tree !== "") requireSame(`${name}@${version}`, "tree", { expected: published.tree, received: tree });
  if (manifest.name !== name || manifest.version !== version) {
    throw new Problem(
      "DRWN_REGISTRY_INVALID",
      `${registry.id} hands out ${manifest.name}@${manifest.version} as ${name}@${version}`,
    );
  }
  if (JSON.stringify(index.hooks) !== JSON.stringify(published.hooks)) {
    throw new Problem(
      "DRWN_REGISTRY_INVALID",
      `${registry.id} lists other hooks of ${name}@${version} than are packed in it`,
    );
  }
  requireStatedPublisher(registry.id, published, signature?.publisher ?? null);
  return { ...card, name, version, integrity: published.integrity, hooks: index.hooks };
}

/** A missing signature is invalid if the registry names a publisher. A registry that can't say who signed says null. */
function requireStatedPublisher(registry: string, published: PublishedVersion, received: string | null): void {
  if (published.publisher === null || published.publisher === received) return;
  const { name, version } = published;
  const what =
    received === null
      ? "carries no signature, but was published with one"
      : "is signed by somebody other than its publisher";
  throw new Problem("DRWN_SIGNATURE_INVALID", `${name}@${version} ${what}`, {
    details: [`${registry} says: ${clean(published.publisher)}`, `received: ${received ?? "not signed"}`],
    hint: "find out who changed it; a published version never changes",
  });
}

function otherPublisher({ name, version, publisher }: LockedCard, received: string | null): Problem {
  return new Problem("DRWN_SIGNATURE_FOREIGN", `card.lock names another publisher of ${name}@${version}`, {
    details: [`locked: ${clean(publisher ?? "not signed")}`, `received: ${received ?? "not signed"}`],
    hint: advise`restore card.lock from version control, then: ${drwn("install")}`,
  });
}

/**
 * What a registry has under a version must be what was locked. drwn packs its own cards on each machine, so their
 * tarballs differ from one Node version to the next, and only their contents count.
 */
export function requireLocked(locked: LockedCard, published: PublishedVersion): void {
  const subject = `${locked.name}@${locked.version}`;
  if (locked.source !== CATALOGUE_REGISTRY)
    requireSame(subject, "tarball", { expected: locked.integrity, received: published.integrity });
  if (published.tree !== "") requireSame(subject, "tree", { expected: locked.tree, received: published.tree });
}

export function requireSame(subject: string, what: string, digests: { expected: string; received: string }): void {
  if (isSameDigest(digests.expected, digests.received)) return;
  throw new Problem(
    "DRWN_INTEGRITY_MISMATCH",
    `the ${what} of ${subject} is not the one that was published or locked`,
    {
      details: [`expected: ${digests.expected}`, `received: ${digests.received}`],
      hint: "find out who changed it; a published version never changes",
    },
  );
}
