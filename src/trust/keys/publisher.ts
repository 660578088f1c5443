import { cardScopeOf } from "../../card/name.ts";
import type { CardSignature } from "../../card/signing/signature.ts";
import { compareVersions } from "../../card/version.ts";
import { Problem } from "../../kernel/problem.ts";
import { keysOfScope, type Pin, type Pins, pinOf } from "./pins.ts";

/** A version of a card, with its verified signature. */
export interface SignedVersion {
  name: string;
  version: string;
  /** null: it is not signed. */
  signature: CardSignature | null;
  /** True: a lock has exactly these contents, so they aren't new, and may be older than a change of keys. */
  isLocked: boolean;
}

/**
 * Stops a version that doesn't come from the card's publisher as this machine knows it: one that isn't signed though
 * earlier ones were, or one signed with a key that nobody entered and that the pinned key didn't name as its successor.
 */
export function requirePublisher(pins: Pins, card: SignedVersion): void {
  const pin = pinOf(pins, card.name);
  const trusted = keysOfScope(pins, card.name);
  const known = pin === undefined ? trusted : [pin.key, ...trusted];
  if (known.length === 0) return;
  if (card.signature === null) {
    if (isBeforeSigning(card, pin)) return;
    throw unsigned(card, known);
  }
  const { publisher, rotations } = card.signature;
  const chain: string[] = [publisher, ...rotations.map(({ from }) => from)];
  if (known.some((key) => chain.includes(key))) return;
  if (card.isLocked && pin?.former.includes(publisher)) return;
  throw foreign(card.name, `${card.name}@${card.version}`, { known, publisher });
}

/** A lock may hold a version from before its publisher began to sign. */
function isBeforeSigning({ version, isLocked }: SignedVersion, pin: Pin | undefined): boolean {
  return isLocked && pin !== undefined && compareVersions(version, pin.version) < 0;
}

function unsigned({ name, version }: SignedVersion, known: readonly string[]): Problem {
  return new Problem("DRWN_SIGNATURE_MISSING", `${name}@${version} is not signed, but its publisher signs`, {
    details: known.map((key) => `known key: ${key}`),
    hint: "ask its publisher; nothing was changed",
  });
}

function foreign(name: string, spec: string, keys: { known: readonly string[]; publisher: string }): Problem {
  return new Problem("DRWN_SIGNATURE_FOREIGN", `${spec} is not signed with the key that ${name} came with so far`, {
    details: [...keys.known.map((key) => `known key: ${key}`), `received:  ${keys.publisher}`],
    hint: `ask the publisher of ${cardScopeOf(name)} whether the new key is theirs, then: drwn key trust ${keys.publisher} ${name}`,
  });
}
