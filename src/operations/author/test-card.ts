import type { Host } from "../../kernel/host.ts";
import { type CardToTry, findCard } from "../../proving/find-card.ts";
import { hooksInForce } from "../../proving/hooks-in-force.ts";
import { type CardTest, testCard } from "../../proving/test-card.ts";

export interface CardTestRequest {
  card: CardToTry;
  hook?: string | undefined;
  /** A person has said that the card's code may run here. */
  isAllowed: boolean;
  mutates?: boolean;
  covers?: boolean;
  /** What the reasons propose has to be allowed by all that is in force in the project, too. */
  isStacked?: boolean;
}

/** Why a person has to say yes before cases are run; null: nobody has to. */
export type Reservation = "unapproved" | "reaching" | null;

export type { CardTest, CardToTry };
export { findCard };

/**
 * The code of a source is its author's own, and what is consented to runs anyway. Both stay without capabilities unless a person says
 * otherwise.
 */
export function reservationOf({ from, isApproved, hooks }: CardToTry): Reservation {
  if (from === "published" && !isApproved) return "unapproved";
  return hooks.some(({ capabilities }) => capabilities.length > 0) ? "reaching" : null;
}

/** Runs the cases of a card. A card from elsewhere that nobody approved gets no capability, whatever a person says. */
export function runCardTest(
  host: Host,
  { card, isAllowed, isStacked = false, ...wanted }: CardTestRequest,
): Promise<CardTest> {
  host.progress(`running the cases of ${card.manifest.name}`);
  const isOwn = card.from === "source" || card.isApproved;
  const without = "it declares capabilities, which";
  const unreached = isOwn ? `${without} it gets with --run` : `${without} nobody consented to here`;
  // What is in force of the card itself is what this one is about to replace.
  const others = isStacked ? hooksInForce(host).filter(({ policy }) => policy.card !== card.manifest.name) : [];
  return testCard({ card, ...wanted, stack: others, unreached: isAllowed && isOwn ? null : unreached });
}
