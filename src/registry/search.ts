import { compareOrdinal } from "../kernel/order.ts";
import type { FoundCard } from "./registry.ts";

/** The parts of a card that a search looks at. */
export interface SearchedCard extends FoundCard {
  keywords: readonly string[];
}

/** The cards that contain every word, in any case: first those with all words in their name, then by name. */
export function searchListed(cards: readonly SearchedCard[], text: string): FoundCard[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  return cards
    .filter(({ name, description, keywords }) => hasWords([name, description, ...keywords].join("\n"), words))
    .map(({ name, version, description }) => ({ name, version, description, isNamed: hasWords(name, words) }))
    .sort((left, right) => Number(right.isNamed) - Number(left.isNamed) || compareOrdinal(left.name, right.name))
    .map(({ isNamed: _, ...found }) => found);
}

function hasWords(text: string, words: readonly string[]): boolean {
  const searched = text.toLowerCase();
  return words.every((word) => searched.includes(word));
}
