import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import type { FoundCard } from "../registry/registry.ts";
import { openRegistryOf } from "./card-registry.ts";

/** The cards of the registry in which every word of the text is found. */
export async function searchCards(host: Host, text: string): Promise<{ registry: string; cards: FoundCard[] }> {
  const registry = openRegistryOf(host, text);
  if (registry.search === undefined) {
    throw new Problem("DRWN_REGISTRY_UNABLE", `${registry.id} cannot be searched`, { hint: "drwn card show <card>" });
  }
  host.progress(`searching ${registry.id}`);
  return { registry: registry.id, cards: await registry.search(text) };
}
