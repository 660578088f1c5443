import { makeKey } from "../../authoring/sign-card.ts";
import { isCardName } from "../../card/name.ts";
import { type PublisherKey, parsePublisherKey } from "../../card/signing/publisher-key.ts";
import { layout } from "../../contract/layout.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { Problem } from "../../kernel/problem.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import {
  keysOfScope,
  type Pins,
  pinOf,
  readPins,
  withoutPin,
  withoutScope,
  withTrustedCard,
  withTrustedScope,
  writePins,
} from "../../trust/publisher.ts";
import {
  listScopeKeys,
  type PublicKey,
  parseKeyScope,
  printKey,
  readScopeKey,
  type ScopeKey,
  toPublic,
} from "../../trust/scope-keys.ts";

/**
 * Makes the key that signs the cards of a scope. With `rotate` it replaces the former one, whose last signature says
 * so; the former secret is then deleted.
 */
export async function newKey(
  host: Host,
  { scope: text, rotate }: { scope: string; rotate: boolean },
): Promise<PublicKey & { file: string }> {
  const scope = parseKeyScope(text);
  const { drwnHome: home } = host;
  requirePerson(host, "make a signing key", `drwn key new ${scope}${rotate ? " --rotate" : ""}`);
  return withLock(layout.lock(home, "keys"), () => {
    const former = readScopeKey(home, scope);
    if (former !== undefined && !rotate) throw exists(scope, former);
    if (former === undefined && rotate) throw missing(scope);
    return { ...toPublic(makeKey(host, scope, former)), file: layout.ownKey(home, scope) };
  });
}

interface ListedKeys {
  own: PublicKey[];
  /** Keys that cards came with, or that a person entered for one. */
  cards: { card: string; publisher: PublisherKey; former: PublisherKey[] }[];
  /** Keys that a person entered for a scope. */
  scopes: { scope: string; publishers: PublisherKey[] }[];
}

export function listKeys({ drwnHome: home }: Host): ListedKeys {
  const { cards, scopes } = readPins(home);
  return {
    own: listScopeKeys(home).map(toPublic),
    cards: Object.entries(cards).map(([card, { key, former }]) => ({ card, publisher: key, former })),
    scopes: Object.entries(scopes).map(([scope, publishers]) => ({ scope, publishers })),
  };
}

/** The public key that a publisher tells others; with `secret` the key file itself, for a backup or a build machine. */
export function exportKey(
  host: Host,
  { scope: text, secret }: { scope: string; secret: boolean },
): PublicKey & { keyFile: string | null } {
  const scope = parseKeyScope(text);
  if (secret) requirePerson(host, "see a secret key", `drwn key list ${scope} --secret`);
  const own = readScopeKey(host.drwnHome, scope);
  if (own === undefined) throw missing(scope);
  return { ...toPublic(own), keyFile: secret ? printKey(own) : null };
}

interface TrustedKey {
  publisher: PublisherKey;
  /** `@scope` or `@scope/name` */
  for: string;
  /** The key that it replaces; null: none. */
  replaces: PublisherKey | null;
}

/** Enters a key that a person has been told by its publisher: for one card, or for all cards of a scope. */
export async function trustKey(host: Host, request: { key: string; for: string }): Promise<TrustedKey> {
  const publisher = parsePublisherKey(request.key);
  const isCard = isCardName(request.for);
  const subject = isCard ? request.for : parseKeyScope(request.for);
  requirePerson(host, "say whose key is trusted", `drwn key trust ${publisher} ${subject}`);
  const { drwnHome: home } = host;
  return withLock(layout.lock(home, "keys"), () => {
    const pins = readPins(home);
    const pinned = isCard ? pinOf(pins, subject)?.key : undefined;
    writePins(home, isCard ? withTrustedCard(pins, subject, publisher) : withTrustedScope(pins, subject, publisher));
    return { publisher, for: subject, replaces: pinned === undefined || pinned === publisher ? null : pinned };
  });
}

function exists(scope: string, { key }: ScopeKey): Problem {
  return new Problem("DRWN_KEY_EXISTS", `${scope} has a signing key on this machine`, {
    details: [`key: ${key.publisher}`],
    hint: `to replace it: drwn key new ${scope} --rotate`,
  });
}

function missing(scope: string): Problem {
  return new Problem("DRWN_KEY_MISSING", `${scope} has no signing key on this machine`, {
    hint: `drwn key new ${scope}`,
  });
}

interface ForgetRequest {
  /** `@scope/name`: what was pinned for the card; `@scope`: what was entered for the scope. */
  for: string;
  /** Only this one of a scope's keys. */
  key: string | null;
}

export interface ForgottenKeys {
  for: string;
  forgotten: PublisherKey[];
  /** Keys that still apply to a card of this name: those of its scope. */
  remaining: PublisherKey[];
}

/** What `forgetKey` would forget; a problem if there is nothing. */
export function findForgettable({ drwnHome: home }: Host, request: ForgetRequest): ForgottenKeys {
  return find(readPins(home), request).found;
}

/**
 * Forgets what this machine knows about a publisher, for example if somebody took over a card with its publisher's
 * agreement but without a statement of the former key. drwn pins the next key that the card comes with as if it were
 * the first.
 */
export async function forgetKey(host: Host, request: ForgetRequest): Promise<ForgottenKeys> {
  requirePerson(host, "forget whose key is trusted", `drwn key trust --undo ${request.for}`);
  const { drwnHome: home } = host;
  return withLock(layout.lock(home, "keys"), () => {
    const { found, next } = find(readPins(home), request);
    writePins(home, next);
    return found;
  });
}

function find(pins: Pins, request: ForgetRequest): { found: ForgottenKeys; next: Pins } {
  if (isCardName(request.for) && request.key === null) return findCard(pins, request.for);
  const scope = parseKeyScope(request.for);
  const key = request.key === null ? null : parsePublisherKey(request.key);
  return { found: pick(pins.scopes, scope, key), next: withoutScope(pins, scope, key) };
}

/** One of the keys that are known for the subject; null: all of them. */
function pick(
  keys: Readonly<Record<string, readonly PublisherKey[]>>,
  subject: string,
  key: PublisherKey | null,
): ForgottenKeys {
  const known = Object.hasOwn(keys, subject) ? (keys[subject] ?? []) : [];
  const forgotten = known.filter((one) => key === null || one === key);
  if (forgotten.length === 0) throw unknown(subject, known);
  return { for: subject, forgotten, remaining: known.filter((one) => !forgotten.includes(one)) };
}

function findCard(pins: Pins, card: string): { found: ForgottenKeys; next: Pins } {
  const pin = pinOf(pins, card);
  if (pin === undefined) throw unknown(card, []);
  const found = { for: card, forgotten: [pin.key, ...pin.former], remaining: [...keysOfScope(pins, card)] };
  return { found, next: withoutPin(pins, card) };
}

function unknown(subject: string, known: readonly PublisherKey[]): Problem {
  return new Problem("DRWN_KEY_UNKNOWN", `this machine has no such key for ${subject}`, {
    details: known.map((key) => `known key: ${key}`),
    hint: "drwn key list",
  });
}
