import { readKnownCard } from "../../card/archive/read-card.ts";
import type { CardFiles } from "../../card/files.ts";
import type { HookIndex } from "../../card/hooks/hook-index.ts";
import type { Manifest } from "../../card/manifest.ts";
import { cardScopeOf } from "../../card/name.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import { digestOf } from "../../kernel/digest.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { CATALOGUE_REGISTRY, CATALOGUE_SCOPE, isFromCatalogue } from "../../registry/catalogue.ts";
import { isStored, readSignatureOf, readStored } from "../../registry/store.ts";
import { activeGrant } from "../../trust/ledger-file.ts";
import { judgeRequestedOptions, type WaitingOption } from "../../trust/options.ts";
import { isSeenFrom } from "../../trust/releases.ts";
import type { LockedCard } from "../lock.ts";
import { readTrustRequest } from "../trust-request.ts";
import type { OpenProject } from "./open-project.ts";

/** A card whose bytes were verified against the lock. */
export interface InstalledCard {
  locked: LockedCard;
  files: CardFiles;
  manifest: Manifest;
  index: HookIndex;
}

/**
 * A card of drwn's own scope must have come from an installed drwn. Bytes in the store prove nothing: a project's vendor
 * folder may have brought them.
 */
function requireOurs(home: string, { name, version, source, tree }: LockedCard): void {
  if (cardScopeOf(name) !== CATALOGUE_SCOPE) return;
  const isOurs = isSeenFrom(home, { tree, source: CATALOGUE_REGISTRY }) || isFromCatalogue({ name, version, tree });
  if (isOurs && source === CATALOGUE_REGISTRY) return;
  throw new Problem("DRWN_REGISTRY_UNABLE", `card.lock names a ${name}@${version} that didn't come with drwn`, {
    details: [`locked to: ${clean(source, 200)}`, `locked tree: ${tree}`],
    hint: advise`find out who changed card.lock; to use drwn's own: ${drwn("remove", name)} && ${drwn("add", name)}`,
  });
}

const RESTORE = advise`restore card.lock from version control, then: ${drwn("install")}`;

/** The stored bytes of a locked card, verified again, and in agreement with its whole lock entry. */
export function readInstalled(home: string, locked: LockedCard): InstalledCard {
  const { name, version, tree } = locked;
  if (!isStored(home, tree)) {
    throw new Problem("DRWN_CARD_NOT_INSTALLED", `the store has no ${name}@${version}`, {
      details: [`locked tree: ${tree}`],
      hint: drwn("install"),
    });
  }
  return checkInstalled(home, locked, readStored(home, tree));
}

/** The same, for a caller that has read the files of the locked tree. */
export function checkInstalled(home: string, locked: LockedCard, files: CardFiles): InstalledCard {
  const { manifest, index } = readKnownCard(files);
  requireOurs(home, locked);
  if (manifest.name !== locked.name || manifest.version !== locked.version) {
    throw new Problem(
      "DRWN_INTEGRITY_MISMATCH",
      `card.lock names ${locked.name}@${locked.version}, but its tree is ${manifest.name}@${manifest.version}`,
      { details: [`locked tree: ${locked.tree}`], hint: RESTORE },
    );
  }
  const [listed, contained] = [digestOf(JSON.stringify(locked.hooks)), digestOf(JSON.stringify(index.hooks))];
  if (listed !== contained) {
    throw new Problem("DRWN_INTEGRITY_MISMATCH", `card.lock lists other hooks of ${locked.name} than are in its tree`, {
      details: [`locked tree: ${locked.tree}`, `hooks in card.lock: ${listed}`, `hooks in the tree: ${contained}`],
      hint: RESTORE,
    });
  }
  // Anybody can write a key into a lock: a consent to a publisher needs the publisher's own signature.
  if (locked.publisher !== null) readSignatureOf(home, locked, locked.publisher);
  return { locked, files, manifest, index };
}

/** Option values that the project asks for, of cards with a consent, that aren't in force. */
export function findWaitingOptions({ root, ledger }: Pick<OpenProject, "root" | "ledger">): WaitingOption[] {
  return Object.entries(readTrustRequest(root).requests).flatMap(([card, { options = {} }]) => {
    const grant = activeGrant(ledger, card);
    const last = grant?.approved.at(-1);
    if (grant === undefined || last === undefined) return [];
    const judged = judgeRequestedOptions(last.hooks, grant.options ?? {}, options);
    return judged.filter(({ outcome }) => outcome !== "in-force").map((asked) => ({ card, ...asked }));
  });
}
