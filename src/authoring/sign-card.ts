import path from "node:path";
import { cardScopeOf } from "../card/name.ts";
import type { PackedCard } from "../card/source/pack.ts";
import { signPacked } from "../card/source/sign-packed.ts";
import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { readKeyFile, readScopeKey, type ScopeKey } from "../trust/keys/scope-keys.ts";
import { findActor, requirePerson } from "../workspace/require-person.ts";
import { ensureSigningKey } from "./signing-key.ts";

export interface SigningRequest {
  /** A key file to sign with; null: the scope's own key. */
  key: string | null;
  /** False: a person asked that the card stay unsigned. */
  isSigned?: boolean;
}

export interface SignedPack {
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
