import type { Host } from "../kernel/host.ts";
import { openProject } from "../materialize/open-project.ts";
import { type ListedCard, listCards } from "./list.ts";

export interface Status {
  root: string;
  drwnHome: string;
  cards: ListedCard[];
  /** Guards that left the lock by another way than `remove`: they stay in force. */
  dropped: string[];
  /** True when card.lock answers config.json. */
  lockInStep: boolean;
  /** True when `write` has put a plan in force. */
  planInForce: boolean;
}

/** The state of the project from its own files and this machine's ledger; doctor looks deeper. */
export function readStatus(host: Host): Status {
  const { config, lock, ledger } = openProject(host);
  const ranges = new Map(lock.cards.map(({ name, range }) => [name, range]));
  const asked = Object.entries(config.cards);
  return {
    ...listCards(host),
    drwnHome: host.drwnHome,
    lockInStep: asked.length === ranges.size && asked.every(([name, range]) => ranges.get(name) === range),
    planInForce: (ledger?.plan ?? null) !== null,
  };
}
