import type { Finding } from "../kernel/finding.ts";

/** Consents that a project asks for, of cards that it has not got: what it has is found wanting by `checkConsents`. */
export function checkRequests(asked: readonly { card: string; range: string; isInstalled: boolean }[]): Finding[] {
  return asked
    .filter(({ isInstalled }) => !isInstalled)
    .map(({ card, range }) => ({
      code: "consent-asked",
      severity: "warning",
      subject: card,
      message: `trust.json asks for a consent to its hooks in the range ${range}, and it is not in card.lock; asking grants nothing`,
      hint: `drwn add ${card}`,
    }));
}
