import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { shellQuote } from "../kernel/text.ts";
import { type ConsentRequest, grantConsent, reviewConsent } from "../operations/trust.ts";
import type { Console } from "./console.ts";
import { askYes } from "./prompt.ts";
import { renderReview } from "./render/review.ts";

export interface Consented {
  card: string;
  version: string;
  range: string;
  tree: string;
  hooks: string[];
}

/** Shows the review on stderr, asks (or was told yes), and records the consent. */
export async function reviewAndGrant(
  host: Host,
  request: ConsentRequest,
  { yes, console }: { yes: boolean; console: Console },
): Promise<Consented> {
  const review = reviewConsent(host, request);
  for (const line of renderReview(review, console.style)) console.talk(line);
  const command = `drwn card trust ${review.card} --hooks --range ${shellQuote(review.range)}`;
  const isAccepted =
    yes || (await askYes(`Let these policies of ${review.card} run in this project?`, { flag: "--yes", command }));
  if (!isAccepted) {
    throw new Problem("DRWN_CONSENT_DECLINED", `nothing of ${review.card} was consented to`, { hint: command });
  }
  const grant = await grantConsent(host, review);
  return {
    card: grant.card,
    version: review.version,
    range: grant.range,
    tree: review.tree,
    hooks: review.hooks.map(({ name }) => name),
  };
}
