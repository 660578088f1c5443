import path from "node:path";
import { cardScopeOf } from "../card/name.ts";
import { makeSigningKey } from "../card/signing/publisher-key.ts";
import { rotateKey } from "../card/signing/signature.ts";
import { type PackedCard, signPacked } from "../card/source/pack.ts";
import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { Problem } from "../kernel/problem.ts";
import { findActor, requirePerson } from "../project/open/require-person.ts";
import { readKeyFile, readScopeKey, type ScopeKey, writeScopeKey } from "../trust/scope-keys.ts";

export interface SigningRequest {
  /** A key file to sign with; null: the scope's own key. */
  key: string | null;
  /** False: a person asked that the card stay unsigned. */
  isSigned?: boolean;
}

interface SignedPack {
  packed: PackedCard;
  /** The file of the key that was made for it; null: there was a key already, or the card isn't signed. */
  madeKey: string | null;
}

/**
 * Signs a packed card as a person does: with the named key file, else with the key of its scope, which it makes first
 * if `mayMakeKey`. An agent signs nothing: a signature lets later versions join a consent.
 */
export async function signAsPerson(
  host: Host,
  packed: PackedCard,
  { key: file, isSigned = true, mayMakeKey }: SigningRequest & { mayMakeKey: boolean },
): Promise<SignedPack> {
  const { name } = packed.manifest;
  const scope = cardScopeOf(name);
  const unsigned = { packed, madeKey: null };
  if (!isSigned) return unsigned;
  if (file !== null) {
    requirePerson(host, `sign ${name}`, `drwn card publish ${name} --key …`);
    return { packed: await signWith(packed, scope, readKeyFile(path.resolve(host.cwd, file))), madeKey: null };
  }
  if (findActor(host) !== "person") return unsigned;
  const { own, isNew } = mayMakeKey
    ? await ensureSigningKey(host, scope)
    : { own: readScopeKey(host.drwnHome, scope), isNew: false };
  if (own === undefined) return unsigned;
  return {
    packed: await signWith(packed, scope, own),
    madeKey: isNew ? layout.ownKey(host.drwnHome, scope) : null,
  };
}

async function signWith(packed: PackedCard, scope: string, own: ScopeKey): Promise<PackedCard> {
  if (own.scope === scope) return signPacked(packed, own);
  throw new Problem("DRWN_KEY_INVALID", `the key is for ${own.scope}, but the card is ${packed.manifest.name}`, {
    hint: `drwn key new ${scope}`,
  });
}

/** The key of the scope; makes one if there is none. */
async function ensureSigningKey(host: Host, scope: string): Promise<{ own: ScopeKey; isNew: boolean }> {
  return withLock(layout.lock(host.drwnHome, "keys"), () => {
    const own = readScopeKey(host.drwnHome, scope);
    return own === undefined ? { own: makeKey(host, scope, undefined), isNew: true } : { own, isNew: false };
  });
}

/** A new key for the scope; the one that it replaces vouches for it. */
export function makeKey(host: Host, scope: string, former: ScopeKey | undefined): ScopeKey {
  const key = makeSigningKey();
  const rotations = former === undefined ? [] : [...former.rotations, rotateKey(former.key, key.publisher)];
  const own = { scope, key, createdAt: host.now().toISOString(), rotations };
  writeScopeKey(host.drwnHome, own);
  return own;
}
