import type { HookConsent } from "../../operations/list.ts";

/** What becomes of a card's hook policies, in a few words. */
export function describeConsent(consent: HookConsent | null): string {
  if (consent === null) return "none";
  switch (consent.state) {
    case "active":
      return `active (${consent.range})`;
    case "joins":
      return "active after: drwn write";
    case "waits":
      return consent.inForce === null ? "waits for a review" : `${consent.inForce} active, this one waits for a review`;
    case "off":
      return "not active";
  }
}
