import { cardScopeOf } from "../card/name.ts";
import { type PublisherKey, publisherKeyText } from "../card/signing/publisher-key.ts";
import type { CardSignature } from "../card/signing/signature.ts";
import { compareVersions } from "../card/version.ts";
import { layout } from "../contract/layout.ts";
import { writeAtomic } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readFormatIfThere } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";
import { Problem } from "../kernel/problem.ts";

/** A version of a card, with its verified signature. */
interface SignedVersion {
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

const pin = z.strictObject({
  /** Who publishes the card. */
  key: publisherKeyText,
  /** Keys that this one replaced: cards that they signed may stay, but nothing new may come from them. */
  former: z.array(publisherKeyText),
  /** The lowest version that this machine has seen signed. */
  version: z.string(),
});

const schema = z.strictObject({
  version: z.literal(1),
  cards: z.record(z.string(), pin),
  /** Keys that a person trusts for every card of a scope. */
  scopes: z.record(z.string(), z.array(publisherKeyText)),
});

/** What this machine knows about publishers: each card's first key, and the keys that a person has entered. */
export type Pins = z.output<typeof schema>;
type Pin = Pins["cards"][string];

const NONE: Pins = { version: 1, cards: {}, scopes: {} };

export function readPins(home: string): Pins {
  return readFormatIfThere(layout.pins(home), schema) ?? NONE;
}

export function writePins(home: string, pins: Pins): void {
  writeAtomic(layout.pins(home), formatJson(pins));
}

export function pinOf(pins: Pins, card: string): Pin | undefined {
  return Object.hasOwn(pins.cards, card) ? pins.cards[card] : undefined;
}

/** The keys that a person trusts for the card's scope. */
export function keysOfScope(pins: Pins, card: string): readonly PublisherKey[] {
  const scope = cardScopeOf(card);
  return Object.hasOwn(pins.scopes, scope) ? (pins.scopes[scope] ?? []) : [];
}

/** The first use pins a key; another key that was accepted replaces it. A former key changes nothing. */
export function withPublisher(pins: Pins, card: { name: string; version: string; publisher: PublisherKey }): Pins {
  const { name, version, publisher } = card;
  const pinned = pinOf(pins, name);
  if (pinned === undefined) return withPin(pins, name, { key: publisher, former: [], version });
  if (pinned.former.includes(publisher)) return pins;
  const former = pinned.key === publisher ? pinned.former : [...pinned.former, pinned.key];
  const lowest = compareVersions(version, pinned.version) < 0 ? version : pinned.version;
  return withPin(pins, name, { key: publisher, former, version: lowest });
}

/** A person says so: from now on this key publishes the card, whatever was pinned. */
export function withTrustedCard(pins: Pins, card: string, key: PublisherKey): Pins {
  const pinned = pinOf(pins, card);
  const former = [...(pinned?.former ?? []), ...(pinned === undefined ? [] : [pinned.key])];
  const others = [...new Set(former)].filter((one) => one !== key);
  return withPin(pins, card, { key, former: others, version: pinned?.version ?? "0.0.0" });
}

/** A person says so: this key may sign cards of the scope, and only a key of the scope may sign new ones. */
export function withTrustedScope(pins: Pins, scope: string, key: PublisherKey): Pins {
  const known = Object.hasOwn(pins.scopes, scope) ? (pins.scopes[scope] ?? []) : [];
  return known.includes(key) ? pins : { ...pins, scopes: { ...pins.scopes, [scope]: [...known, key] } };
}

/** Afterwards the next key that the card comes with is pinned. */
export function withoutPin(pins: Pins, card: string): Pins {
  const { [card]: _, ...cards } = pins.cards;
  return { ...pins, cards };
}

/** Without the keys that a person entered for the scope, or with `key` without that one. */
export function withoutScope(pins: Pins, scope: string, key: PublisherKey | null): Pins {
  const { [scope]: known = [], ...scopes } = pins.scopes;
  const kept = key === null ? [] : known.filter((one) => one !== key);
  return { ...pins, scopes: kept.length === 0 ? scopes : { ...scopes, [scope]: kept } };
}

function withPin(pins: Pins, card: string, entry: Pin): Pins {
  return { ...pins, cards: { ...pins.cards, [card]: entry } };
}
