import { parseTypedCard } from "../../card/spec.ts";
import { isRange } from "../../card/version.ts";
import type { Host } from "../../kernel/host.ts";
import { type FetchedCard, fetchVerified, requireSame } from "../../project/fetch/fetch-card.ts";
import { type RequestedCard, resolveRequested } from "../../project/fetch/lock-card.ts";
import { findProjectRoot } from "../../project/identity.ts";
import { type LockedCard, readLock } from "../../project/lock.ts";
import { lookUpCard } from "../../registry/resolve.ts";
import { isStored, readStored } from "../../registry/store.ts";
import { keysOfScope, pinOf, readPins, requirePublisher } from "../../trust/publisher.ts";

/** One check that passed. */
export interface PassedCheck {
  check: "tarball" | "contents" | "index" | "signature" | "publisher" | "store" | "lock";
  /** What drwn compared. */
  message: string;
}

export interface VerifiedCard {
  name: string;
  version: string;
  registry: string;
  integrity: string;
  tree: string;
  publisher: string | null;
  checks: PassedCheck[];
}

/**
 * Fetches a card and compares its bytes with everything that is said about it: record, digests, index, signature, the
 * publisher that this machine knows, and, if they exist, the stored copy and the project's lock. It throws a problem at
 * the first difference. It loads nothing in the card, and keeps nothing.
 */
export async function verifyCard(host: Host, spec: string): Promise<VerifiedCard> {
  const { base, asked } = findAsked(host, parseTypedCard(spec));
  const { registry, published } = await resolveRequested({ host, base, isLook: true }, asked, lookUpCard);
  const card = await fetchVerified(host, registry, published);
  const { name, version, integrity, tree, signature } = card;
  const checks = [
    ...describeContents(card, registry.id),
    ...checkPublisher(host, card),
    ...checkStore(host, card),
    ...checkLock(host, card),
  ];
  const publisher = signature?.publisher ?? null;
  return { name, version, registry: registry.id, integrity, tree, publisher, checks };
}

/** If the project has installed the card, a person asks about the version that runs. */
function findAsked(host: Host, typed: RequestedCard): { base: string; asked: RequestedCard } {
  const root = findProjectRoot(host.cwd);
  const locked = typed.name === null ? undefined : findLocked(host, typed.name);
  if (root === undefined || locked === undefined || typed.request !== null) return { base: host.cwd, asked: typed };
  const request = isRange(locked.range) ? locked.version : locked.range;
  return { base: root, asked: { name: locked.name, request } };
}

function findLocked(host: Host, name: string): LockedCard | undefined {
  const root = findProjectRoot(host.cwd);
  return root === undefined ? undefined : readLock(root)?.cards.find((card) => card.name === name);
}

/** `fetchVerified` has already compared these. */
function describeContents({ hooks, files, integrity, tree }: FetchedCard, registry: string): PassedCheck[] {
  const names = hooks.map(({ name }) => name).join(", ");
  return [
    { check: "tarball", message: `${integrity} is what ${registry} has published` },
    { check: "contents", message: `${tree} is the digest of its ${files.size} files` },
    {
      check: "index",
      message: `it is about exactly these files, and lists the hooks that the registry does: ${names || "none"}`,
    },
  ];
}

function checkPublisher({ drwnHome: home }: Host, { name, version, signature }: FetchedCard): PassedCheck[] {
  const pins = readPins(home);
  requirePublisher(pins, { name, version, signature, isLocked: false });
  if (signature === null) return [{ check: "signature", message: "it is not signed, and no earlier version was" }];
  const isKnown = pinOf(pins, name) !== undefined || keysOfScope(pins, name).length > 0;
  return [
    { check: "signature", message: `${signature.publisher} has signed exactly these contents` },
    {
      check: "publisher",
      message: isKnown ? "this machine knows the key as its publisher's" : "this machine has not seen its key before",
    },
  ];
}

function checkStore({ drwnHome: home }: Host, { tree }: FetchedCard): PassedCheck[] {
  if (!isStored(home, tree)) return [];
  readStored(home, tree);
  return [{ check: "store", message: "the stored copy has the same contents" }];
}

function checkLock(host: Host, { name, version, integrity, tree }: FetchedCard): PassedCheck[] {
  const locked = findLocked(host, name);
  if (locked === undefined || locked.version !== version) return [];
  requireSame(`${name}@${version}`, "tarball", { expected: locked.integrity, received: integrity });
  requireSame(`${name}@${version}`, "tree", { expected: locked.tree, received: tree });
  return [{ check: "lock", message: "card.lock names the same contents" }];
}
