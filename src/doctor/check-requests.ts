import { drwn } from "../kernel/advice.ts";
import type { Finding } from "../kernel/finding.ts";
import { clean } from "../kernel/text.ts";
import { explainLess, isLoosened, type WaitingOption } from "../trust/options/requested.ts";
import { printOption } from "../trust/options/values.ts";

/** Consents that a project asks for to cards that it doesn't have; `checkConsents` looks at the ones it has. */
export function checkRequests(asked: readonly { card: string; range: string; isInstalled: boolean }[]): Finding[] {
  return asked
    .filter(({ isInstalled }) => !isInstalled)
    .map(({ card, range }) => ({
      code: "consent-asked",
      severity: "warning",
      subject: card,
      message: `trust.json asks for a consent to its hooks in the range ${range}, but the card is not in card.lock; asking grants nothing`,
      hint: drwn("add", card),
    }));
}

/** Option values that a project asks for and that only a person can grant, or nobody can. */
export function checkRequestedOptions(asked: readonly WaitingOption[]): Finding[] {
  return asked.flatMap((one): Finding[] => {
    const { card, hook, option, value, fate, expected } = one;
    const about = { code: "option-asked", severity: "warning", subject: card } as const;
    if (fate === "invalid") {
      const printed = clean(printOption(hook, option, value), 400);
      const message = `trust.json asks for ${printed}, but the card has no such option, or not with this value; expected: ${expected}`;
      return [{ ...about, message, hint: null }];
    }
    if (!isLoosened(one)) return [];
    const { what, keep, accept } = explainLess(one);
    return [{ ...about, message: what, hint: `${keep}; only if you want less: ${accept}` }];
  });
}
