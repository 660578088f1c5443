import { makeSigningKey } from "../card/signing/publisher-key.ts";
import { rotateKey } from "../card/signing/rotation.ts";
import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { readScopeKey, type ScopeKey, writeScopeKey } from "../trust/keys/scope-keys.ts";

/** The key of the scope; makes one if there is none. */
export async function ensureSigningKey(host: Host, scope: string): Promise<{ own: ScopeKey; isNew: boolean }> {
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
