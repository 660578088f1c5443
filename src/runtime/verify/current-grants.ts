import { type Grant, hasPassed, type Terms } from "../../contract/ledger.ts";

/** The grants of one card that hold right now. Undefined: nobody ever consented to the card. */
export type CurrentGrants = readonly Grant[] | undefined;

/** The grants that hold, by card. The list is empty for a card whose consent was withdrawn or has ended. */
export function currentGrantsByCard(grants: readonly Grant[], now: number): ReadonlyMap<string, readonly Grant[]> {
  const currentGrants = new Map<string, Grant[]>();
  for (const grant of grants) {
    const own = currentGrants.get(grant.card) ?? [];
    if (grant.revokedAt === null && !hasPassed(grant.expiresAt, now)) own.push(grant);
    currentGrants.set(grant.card, own);
  }
  return currentGrants;
}

/** Whether a person has silenced the policy. */
export function isSilenced(grants: CurrentGrants, hook: string): boolean {
  return grants?.every((grant) => excludesHook(grant, hook)) === true;
}

/** Whether the consent is only for other hooks of the card. */
export function excludesHook({ hooks }: Pick<Terms, "hooks">, hook: string): boolean {
  return hooks !== null && !hooks.includes(hook);
}
