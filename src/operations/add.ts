import { type CardSpec, parseSpec } from "../card/spec.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { withCard, writeConfig } from "../project/config.ts";
import { type Lock, type LockedCard, writeLock } from "../project/lock.ts";
import { resolveCard } from "../registry/resolve.ts";
import { fetchCard, openDefaultRegistry, requireLocked } from "./fetch-card.ts";
import { pinPublishers } from "./publishers.ts";
import { withProject } from "./with-project.ts";

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
  refuseTwice(parsed);
  return withProject(host, async (project) => {
    const fetched: FetchedLock[] = [];
    for (const spec of parsed) fetched.push(await lockCard(host, project.lock, spec));
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

function refuseTwice(specs: readonly CardSpec[]): void {
  const twice = specs.find(({ name }, at) => specs.findIndex((spec) => spec.name === name) < at);
  if (twice !== undefined) throw new Problem("DRWN_SPEC_INVALID", `${twice.name} is asked for twice`);
}

interface FetchedLock {
  card: LockedCard;
  deprecated: string | null;
}

async function lockCard(host: Host, lock: Lock, { name, range }: CardSpec): Promise<FetchedLock> {
  const registry = openDefaultRegistry(host);
  const published = await resolveCard(registry, name, range);
  const former = lock.cards.find((card) => card.name === name && card.source === registry.id);
  if (former?.version === published.version) requireLocked(former, published);
  const locked = await fetchCard(host, registry, published);
  return { card: { ...locked, range: range ?? `^${published.version}` }, deprecated: published.deprecated };
}

function describe({ card, deprecated }: FetchedLock, before: string | null): AddedCard {
  const { name, version, range, hooks } = card;
  return { name, version, range, before, hooks: hooks.length, deprecated };
}
