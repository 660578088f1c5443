import { isVersionOf, parseRequest } from "../card/request.ts";
import type { ProjectConfig } from "./config.ts";
import type { Lock, LockedCard } from "./lock.ts";

/** Where card.lock doesn't match config.json, one line for each card; empty: it matches. */
export function findMismatches(config: ProjectConfig, lock: Lock): string[] {
  const locked = new Map(lock.cards.map((card) => [card.name, card]));
  const asked = Object.entries(config.cards).flatMap(([name, range]) => {
    const card = locked.get(name);
    locked.delete(name);
    if (card === undefined) return [`${name} is in config.json, but not in card.lock`];
    if (card.range !== range) return [`${name} is asked for as ${range}, but was locked for ${card.range}`];
    return isWithinRange(card) ? [] : [`${name} is asked for as ${range}, but ${card.version} is locked`];
  });
  return [...asked, ...[...locked.keys()].map((name) => `${name} is in card.lock, but not in config.json`)];
}

/** False only if somebody edited the entry by hand: drwn locks nothing outside the requested range. */
export function isWithinRange({ version, range }: LockedCard): boolean {
  return isVersionOf(version, parseRequest(range));
}
