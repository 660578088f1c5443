import { satisfies } from "../card/version.ts";
import type { ProjectConfig } from "./config.ts";
import type { Lock, LockedCard } from "./lock.ts";

/** In what card.lock does not answer config.json, one line for each card; none: it does. */
export function findMismatches(config: ProjectConfig, lock: Lock): string[] {
  const locked = new Map(lock.cards.map((card) => [card.name, card]));
  const asked = Object.entries(config.cards).flatMap(([name, range]) => {
    const card = locked.get(name);
    locked.delete(name);
    if (card === undefined) return [`${name} is in config.json, and not in card.lock`];
    if (card.range !== range) return [`${name} is asked for as ${range}, and was locked for ${card.range}`];
    return isInItsRange(card) ? [] : [`${name} is asked for as ${range}, and ${card.version} is locked`];
  });
  return [...asked, ...[...locked.keys()].map((name) => `${name} is in card.lock, and not in config.json`)];
}

/** False only when the entry was edited by hand: drwn locks nothing outside the range that was asked for. */
export function isInItsRange({ version, range }: LockedCard): boolean {
  return satisfies(version, range);
}
