import { type CommandScope, drwn, sayIn } from "../../../kernel/advice.ts";
import type { HookConsent } from "../../../operations/project/list.ts";

/** What becomes of a card's hook policies, in a few words. */
export function describeConsent(consent: HookConsent | null, scope: CommandScope): string {
  if (consent === null) return "none";
  switch (consent.state) {
    case "active":
      return `active (${consent.range})${describeAgents(consent)}`;
    case "unguarded":
      return `consented to (${consent.range}), ${describeHeld(consent)}`;
    case "joins":
      return `active after: ${sayIn(scope, drwn("write"))}`;
    case "waits":
      return `${consent.inForce === null ? "" : `${consent.inForce} active, this one `}${describeWait(consent)}`;
    case "refused":
      return `${consent.inForce === null ? "" : `${consent.inForce} active, this one `}is not what card.lock says`;
    case "off":
      return "not active";
  }
}

function describeAgents({ inForceIn }: HookConsent): string {
  if (inForceIn === undefined) return "";
  return inForceIn.length === 0 ? ", for agents that aren't found here" : ` in ${inForceIn.join(", ")} alone`;
}

function describeHeld({ inForceIn = [] }: HookConsent): string {
  return inForceIn.length === 0 ? "NOT in force" : `in force in ${inForceIn.join(", ")} alone`;
}

function describeWait({ joinsAt, review, yanked }: HookConsent): string {
  if (yanked) return "is yanked";
  if (joinsAt !== null) return `joins after ${joinsAt}`;
  return review === null ? "has no hooks" : "waits for a review";
}
