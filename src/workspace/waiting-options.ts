import { readTrustRequest } from "../project/trust-request.ts";
import { activeGrant } from "../trust/ledger-file.ts";
import { judgeRequestedOptions, type WaitingOption } from "../trust/options/requested.ts";
import type { OpenProject } from "./open-project.ts";

/** Option values that the project asks for, of cards with a consent, that aren't in force. */
export function findWaitingOptions({ root, ledger }: Pick<OpenProject, "root" | "ledger">): WaitingOption[] {
  return Object.entries(readTrustRequest(root).requests).flatMap(([card, { options = {} }]) => {
    const grant = activeGrant(ledger, card);
    const last = grant?.approved.at(-1);
    if (grant === undefined || last === undefined) return [];
    const judged = judgeRequestedOptions(last.hooks, grant.options ?? {}, options);
    return judged.filter(({ fate }) => fate !== "in-force").map((asked) => ({ card, ...asked }));
  });
}
