import { type CardSpec, parseSpec } from "../card/spec.ts";
import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { openProject } from "../materialize/open-project.ts";
import { withCard, writeConfig } from "../project/config.ts";
import { type LockedCard, writeLock } from "../project/lock.ts";
import { resolveCard } from "../registry/resolve.ts";
import { fetchCard, openDefaultRegistry } from "./fetch-card.ts";
import { pinPublishers } from "./publishers.ts";

export interface Added {
  cards: AddedCard[];
}

export interface AddedCard {
  name: string;
  version: string;
  range: string;
  before: string | null;
  hooks: number;
  /** Why its publisher says not to use it; null: nothing is said against it. */
  deprecated: string | null;
}

/**
 * Resolves, fetches, verifies, stores and locks the cards. Nothing of a card is run. Without a range a card is asked for
 * as `^version`. All of them are added, or none.
 */
export async function addCards(host: Host, specs: readonly string[]): Promise<Added> {
  const parsed = specs.map(parseSpec);
  const { key } = openProject(host);
  return withLock(layout.lock(host.drwnHome, key), async () => {
    const project = openProject(host);
    const fetched: FetchedLock[] = [];
    for (const spec of parsed) fetched.push(await lockCard(host, spec));
    let { config } = project;
    let { cards } = project.lock;
    for (const { card } of fetched) {
      config = withCard(config, card.name, card.range);
      const at = cards.findIndex(({ name }) => name === card.name);
      cards = at < 0 ? [...cards, card] : cards.with(at, card);
    }
    await pinPublishers(
      host,
      fetched.map(({ card }) => card),
    );
    // The lock first: a lock that has more than the config asks for is brought back in step by `install`.
    writeLock(project.root, { ...project.lock, cards });
    writeConfig(project.root, config);
    const before = new Map(project.lock.cards.map(({ name, version }) => [name, version]));
    return { cards: fetched.map((one) => describe(one, before.get(one.card.name) ?? null)) };
  });
}

interface FetchedLock {
  card: LockedCard;
  deprecated: string | null;
}

async function lockCard(host: Host, { name, range }: CardSpec): Promise<FetchedLock> {
  const registry = openDefaultRegistry(host);
  const published = await resolveCard(registry, name, range);
  const locked = await fetchCard(host, registry, published);
  return { card: { ...locked, range: range ?? `^${published.version}` }, deprecated: published.deprecated };
}

function describe({ card, deprecated }: FetchedLock, before: string | null): AddedCard {
  const { name, version, range, hooks } = card;
  return { name, version, range, before, hooks: hooks.length, deprecated };
}
