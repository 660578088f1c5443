import type { PackedCard } from "../../src/card/pack.ts";
import { makeSigningKey, type SigningKey } from "../../src/card/publisher-key.ts";
import type { Rotation } from "../../src/card/rotation.ts";
import { signPacked } from "../../src/card/sign-packed.ts";
import type { Host } from "../../src/kernel/host.ts";
import { addCards } from "../../src/operations/add.ts";
import { openDefaultRegistry } from "../../src/operations/fetch-card.ts";
import { initProject } from "../../src/operations/init.ts";
import { grantConsent, reviewConsent } from "../../src/operations/trust.ts";
import { readLock } from "../../src/project/lock.ts";
import { packedCard } from "./cards.ts";
import { type TestHost, testHost } from "./host.ts";

export type CardParts = NonNullable<Parameters<typeof packedCard>[0]>;

/** Who signs a card in a test. */
export interface Signer {
  key: SigningKey;
  rotations: readonly Rotation[];
}

export function newSigner(): Signer {
  return { key: makeSigningKey(), rotations: [] };
}

/** Publishes a card of these parts to the machine's own registry, as `card publish` does once it is packed. */
export async function publishParts(host: Host, parts: CardParts, signer?: Signer): Promise<PackedCard> {
  const plain = await packedCard(parts);
  const card = signer === undefined ? plain : await signPacked(plain, signer);
  await openDefaultRegistry(host).publish(card, host.now());
  return card;
}

/** A machine with a project, and with these cards in its registry. */
export async function projectWith(...published: CardParts[]): Promise<TestHost> {
  const host = testHost();
  initProject(host);
  for (const parts of published) await publishParts(host, parts);
  return host;
}

/** A machine with a project that has these cards, newly published, installed. */
export async function installed(...cards: CardParts[]): Promise<TestHost> {
  const host = await projectWith(...cards);
  await addCards(
    host,
    cards.map(({ name = "@me/backend" }) => name),
  );
  return host;
}

/** Consents as a person does who was shown the review. */
export async function consent(host: TestHost, card = "@me/backend", range: string | null = null): Promise<void> {
  await grantConsent(host, reviewConsent(host, { card, range }));
}

/** `name@version` of everything in card.lock. */
export function lockedVersions(host: TestHost): string[] {
  return (readLock(host.cwd)?.cards ?? []).map(({ name, version }) => `${name}@${version}`);
}
