import { type Grant, hasPassed, type Terms } from "../../contract/ledger.ts";

/** The grants of one card that hold at this moment. Undefined: nobody ever consented to it. */
export type Standing = readonly Grant[] | undefined;

/** By card; a card whose consent was withdrawn, or has ended, has none. */
export function standingByCard(grants: readonly Grant[], now: number): ReadonlyMap<string, readonly Grant[]> {
  const standing = new Map<string, Grant[]>();
  for (const grant of grants) {
    const own = standing.get(grant.card) ?? [];
    if (grant.revokedAt === null && !hasPassed(grant.expiresAt, now)) own.push(grant);
    standing.set(grant.card, own);
  }
  return standing;
}

/** A person's word silences the policy. */
export function isSilenced(grants: Standing, hook: string): boolean {
  return grants?.every((grant) => leavesOut(grant, hook)) === true;
}

/** The consent is for other hooks of the card. */
export function leavesOut({ hooks }: Pick<Terms, "hooks">, hook: string): boolean {
  return hooks !== null && !hooks.includes(hook);
}
