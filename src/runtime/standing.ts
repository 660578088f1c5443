import { type Grant, hasPassed, type Terms } from "../contract/ledger.ts";

/** The grants that hold at this moment. */
export class Standing {
  readonly #byCard = new Map<string, { standing: Grant[]; isWithdrawn: boolean }>();

  constructor(grants: readonly Grant[], now: number) {
    for (const grant of grants) {
      const entry = this.#byCard.get(grant.card) ?? { standing: [], isWithdrawn: true };
      if (grant.revokedAt === null && !hasPassed(grant.expiresAt, now)) entry.standing.push(grant);
      entry.isWithdrawn = entry.standing.length === 0;
      this.#byCard.set(grant.card, entry);
    }
  }

  of(card: string): readonly Grant[] {
    return this.#byCard.get(card)?.standing ?? [];
  }

  /** A person's word silences the policy. */
  leavesOut(card: string, hook: string): boolean {
    const entry = this.#byCard.get(card);
    if (entry === undefined) return false;
    return entry.isWithdrawn || entry.standing.every((grant) => leavesOut(grant, hook));
  }
}

/** The consent is for other hooks of the card. */
export function leavesOut({ hooks }: Pick<Terms, "hooks">, hook: string): boolean {
  return hooks !== null && !hooks.includes(hook);
}
