import { makeKey } from "../../authoring/signing-key.ts";
import { isCardName } from "../../card/name.ts";
import { type PublisherKey, parsePublisherKey } from "../../card/signing/publisher-key.ts";
import { layout } from "../../contract/layout.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { Problem } from "../../kernel/problem.ts";
import { pinOf, readPins, withTrustedCard, withTrustedScope, writePins } from "../../trust/keys/pins.ts";
import {
  listScopeKeys,
  type PublicKey,
  parseKeyScope,
  printKey,
  readScopeKey,
  type ScopeKey,
  toPublic,
} from "../../trust/keys/scope-keys.ts";
import { requirePerson } from "../../workspace/require-person.ts";

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

export interface ListedKeys {
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

export interface TrustedKey {
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
