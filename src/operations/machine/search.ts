import { isCardName } from "../../card/name.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import type { FoundCard, Registry } from "../../registry/registry.ts";
import { DEFAULT_REGISTRY } from "../../registry/settings.ts";
import { openNamedRegistry, openRegistryOf } from "../../supply/registries.ts";

export interface SearchRequest {
  text: string;
  /** Name of the registry to search; null: that of the card that the text names, else the default one. */
  registry: string | null;
}

/** The cards of one registry in which every word of the text is found. */
export async function searchCards(
  host: Host,
  request: SearchRequest,
): Promise<{ registry: string; cards: FoundCard[] }> {
  const registry = await openSearched(host, request);
  if (registry.search === undefined) {
    throw new Problem("DRWN_REGISTRY_UNABLE", `${registry.id} cannot be searched`, { hint: "drwn card show <card>" });
  }
  host.progress(`searching ${registry.id}`);
  return { registry: registry.id, cards: await registry.search(request.text) };
}

async function openSearched(host: Host, { text, registry }: SearchRequest): Promise<Registry> {
  if (registry !== null) return openNamedRegistry(host, registry);
  const name = text.trim();
  return isCardName(name) ? openRegistryOf(host, name) : openNamedRegistry(host, DEFAULT_REGISTRY);
}
