import type { Host } from "../kernel/host.ts";
import { decideActivations, isHeldBack } from "../materialize/activations.ts";
import { readJoinRules } from "../materialize/join-rules.ts";
import { openProject } from "../materialize/open-project.ts";

/**
 * The installed cards whose hook policies run only after a person's yes, in lock order. A consent that was revoked is a
 * person's no, and to go back to an earlier version is not to go on: such a card has to be named.
 */
export function listAwaitingConsent(host: Host): string[] {
  const { lock, ledger } = openProject(host);
  return decideActivations(lock.cards, ledger, readJoinRules(host)).flatMap((one) => {
    const { card, locked, activation } = one;
    if (locked === null || locked.hooks.length === 0 || isHeldBack(one)) return [];
    const isAwaiting = activation.state === "waits" || (activation.state === "off" && activation.why !== "revoked");
    return isAwaiting ? [card] : [];
  });
}
