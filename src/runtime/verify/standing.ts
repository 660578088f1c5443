import { type Grant, hasPassed, type Terms } from "../../contract/ledger.ts";

/** The grants of one card that hold right now. Undefined: nobody ever consented to the card. */
export type Standing = readonly Grant[] | undefined;

/** The grants that hold, by card. The list is empty for a card whose consent was withdrawn or has ended. */
export function standingByCard(grants: readonly Grant[], now: number): ReadonlyMap<string, readonly Grant[]> {
  const standing = new Map<string, Grant[]>();
  for (const grant of grants) {
    const own = standing.get(grant.card) ?? [];
    if (grant.revokedAt === null && !hasPassed(grant.expiresAt, now)) own.push(grant);
    standing.set(grant.card, own);
  }
  return standing;
}

/** Whether a person has silenced the policy. */
export function isSilenced(grants: Standing, hook: string): boolean {
  return grants?.every((grant) => leavesOut(grant, hook)) === true;
}

/** Whether the consent is only for other hooks of the card. */
export function leavesOut({ hooks }: Pick<Terms, "hooks">, hook: string): boolean {
  return hooks !== null && !hooks.includes(hook);
}
