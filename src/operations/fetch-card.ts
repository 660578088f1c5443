import { readCard } from "../card/read-card.ts";
import { readTarball } from "../card/tarball.ts";
import { layout } from "../contract/layout.ts";
import { integrityOf, isSameDigest } from "../kernel/digest.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import type { LockedCard } from "../project/lock.ts";
import { type FolderRegistry, openFolderRegistry } from "../registry/folder.ts";
import type { PublishedVersion, Registry } from "../registry/registry.ts";
import { isStored, putCard } from "../store/store.ts";
import { OWN_REGISTRY } from "../trust/activation.ts";

/** The registry that a card comes from when nothing else is said: a folder on this machine. */
export function openDefaultRegistry(host: Host): FolderRegistry {
  return openFolderRegistry(layout.registry(host.drwnHome), OWN_REGISTRY);
}

/** Downloads, verifies whole, and stores. What the registry says of the card must agree with what is packed in it. */
export async function fetchCard(host: Host, registry: Registry, published: PublishedVersion): Promise<LockedCard> {
  const { name, version } = published;
  const isThere = published.tree !== "" && isStored(host.drwnHome, published.tree);
  if (!isThere) host.progress(`fetching ${name}@${version}`);
  const tarball = await registry.fetch(name, version);
  requireSame(`${name}@${version}`, "tarball", { expected: published.integrity, received: integrityOf(tarball) });
  const files = await readTarball(tarball);
  const { manifest, index, tree } = readCard(files);
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
  putCard(host.drwnHome, files, tree);
  return {
    name,
    range: version,
    version,
    source: registry.id,
    integrity: published.integrity,
    tree,
    hooks: index.hooks,
    publisher: null,
    ...(published.commit === undefined ? {} : { commit: published.commit }),
  };
}

/** What a registry has under a version must be what was locked under it. */
export function requireLocked(locked: LockedCard, published: PublishedVersion): void {
  const subject = `${locked.name}@${locked.version}`;
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
