import { isCardName } from "../../card/name.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { openNamedRegistry, openRegistryOf } from "../../project/fetch/registries.ts";
import { CATALOGUE_REGISTRY, openCatalogue } from "../../registry/catalogue.ts";
import type { FoundCard, Registry } from "../../registry/registry.ts";
import { DEFAULT_REGISTRY } from "../../registry/settings.ts";
import { listRegistries } from "./registry-settings.ts";

export interface SearchRequest {
  text: string;
  /** Name of the registry to search; null: that of the card that the text names, else the default one. */
  registry: string | null;
}

export interface SearchResult {
  /** Its cards come first. */
  registry: string;
  cards: FoundCard[];
  /** How many of the cards come with drwn instead. */
  own: number;
  /** Names of registries that weren't asked, since nobody named one. */
  others: string[];
}

/**
 * The cards of one registry that contain every word of the text; if no registry is named, those that come with drwn,
 * too.
 */
export async function searchCards(host: Host, request: SearchRequest): Promise<SearchResult> {
  const registry = await openSearched(host, request);
  if (registry.search === undefined) {
    throw new Problem("DRWN_REGISTRY_UNABLE", `${registry.id} cannot be searched`, { hint: "drwn card show <card>" });
  }
  host.progress(`searching ${registry.id}`);
  const cards = await registry.search(request.text);
  const isAll = request.registry === null && registry.id !== CATALOGUE_REGISTRY;
  const own = isAll ? await openCatalogue().search(request.text) : [];
  const isChosen = request.registry !== null || isCardName(request.text.trim());
  const names = isChosen ? [] : listRegistries(host).map(({ name }) => name);
  const others = names.filter((name) => name !== DEFAULT_REGISTRY);
  return { registry: registry.id, cards: [...cards, ...own], own: own.length, others };
}

export interface SearchOffers {
  /** What `add` would take, the cards of each registry in its own order. */
  cards: FoundCard[];
  /** Registries that could not be searched, and why. */
  unsearched: { registry: string; problem: string }[];
}

/**
 * The cards that come with drwn, and those of every registry that this user knows. A card counts only in the registry
 * that `add` would take it from. If one registry cannot be searched, the others still are.
 */
export async function searchEverywhere(host: Host, text: string): Promise<SearchOffers> {
  const offered: SearchOffers = { cards: await openCatalogue().search(text), unsearched: [] };
  for (const { name } of listRegistries(host)) {
    try {
      const { registry, cards } = await searchCards(host, { text, registry: name });
      for (const card of cards) {
        if (isCardName(card.name) && (await openRegistryOf(host, card.name)).id === registry) offered.cards.push(card);
      }
    } catch (error) {
      if (!isProblem(error)) throw error;
      offered.unsearched.push({ registry: name, problem: error.message });
    }
  }
  return offered;
}

async function openSearched(host: Host, { text, registry }: SearchRequest): Promise<Registry> {
  if (registry !== null) return openNamedRegistry(host, registry);
  const name = text.trim();
  return isCardName(name) ? openRegistryOf(host, name) : openNamedRegistry(host, DEFAULT_REGISTRY);
}
