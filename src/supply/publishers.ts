import { isPublisherKey } from "../card/signing/publisher-key.ts";
import type { CardSignature } from "../card/signing/signature.ts";
import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import type { LockedCard } from "../project/lock.ts";
import { readSignatureOf } from "../store/signatures.ts";
import { readPins, withPublisher, writePins } from "../trust/keys/pins.ts";
import { requirePublisher } from "../trust/keys/publisher.ts";

/** Stops a locked card that doesn't come from its publisher, by the signature that was kept when it was fetched. */
export function checkLockedPublisher({ drwnHome: home }: Host, locked: LockedCard): CardSignature | null {
  const { name, version, publisher } = locked;
  const signature = publisher === null ? null : readSignatureOf(home, locked, publisher);
  requirePublisher(readPins(home), { name, version, signature, isLocked: true });
  return signature;
}

/** The first use pins the key. Called when the cards are locked: merely looking at a card leaves no trace. */
export async function pinPublishers({ drwnHome: home }: Host, cards: readonly LockedCard[]): Promise<void> {
  const signed = cards.flatMap(({ name, version, publisher }) =>
    publisher !== null && isPublisherKey(publisher) ? [{ name, version, publisher }] : [],
  );
  if (signed.length === 0) return;
  await withLock(layout.lock(home, "keys"), () => {
    const pins = readPins(home);
    const next = signed.reduce(withPublisher, pins);
    if (JSON.stringify(next) !== JSON.stringify(pins)) writePins(home, next);
  });
}
