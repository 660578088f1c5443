import type { HookConsent } from "../../../operations/project/list.ts";

/** What becomes of a card's hook policies, in a few words. */
export function describeConsent(consent: HookConsent | null): string {
  if (consent === null) return "none";
  switch (consent.state) {
    case "active":
      return `active (${consent.range})`;
    case "unguarded":
      return `consented to (${consent.range}), NOT in force`;
    case "joins":
      return "active after: drwn write";
    case "waits":
      return `${consent.inForce === null ? "" : `${consent.inForce} active, this one `}${describeWait(consent)}`;
    case "refused":
      return `${consent.inForce === null ? "" : `${consent.inForce} active, this one `}is not what card.lock says`;
    case "off":
      return "not active";
  }
}

function describeWait({ joinsAt, review, yanked }: HookConsent): string {
  if (yanked) return "is yanked";
  if (joinsAt !== null) return `joins after ${joinsAt}`;
  return review === null ? "has no hooks" : "waits for a review";
}
