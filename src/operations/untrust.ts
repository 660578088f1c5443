import { parseCardName } from "../card/name.ts";
import { DEFAULT_TERMS, type Grant } from "../contract/ledger.ts";
import type { Host } from "../kernel/host.ts";
import { type OpenProject, requireLockedCard } from "../materialize/open-project.ts";
import { withdrawRequest } from "../project/trust-request.ts";
import { activeGrant, newLedger, withGrant, writeLedger } from "../trust/ledger-file.ts";
import { requirePerson } from "./require-person.ts";
import { withProject } from "./with-project.ts";

/** Withdraws the consent. It takes effect at the next tool call, without `write`. Returns false when there was none. */
export async function revokeConsent(host: Host, name: string): Promise<{ card: string; revoked: boolean }> {
  const card = parseCardName(name);
  requirePerson(host, "withdraw a consent to hook policies", `drwn card untrust ${card} --hooks`);
  return withProject(host, (project) => {
    const isKnown = project.isLedgerLost || project.ledger?.grants.some((grant) => grant.card === card) === true;
    if (!isKnown) requireLockedCard(project, card);
    const revoked = revokeGrant(host, project, card);
    withdrawRequest(project.root, card);
    return { card, revoked };
  });
}

/**
 * Leaves a tombstone in the place of the card's grant, also where the ledger is gone and the hook blocks for want of it.
 * Returns false when there was nothing to withdraw. The caller holds the project's lock.
 */
export function revokeGrant({ drwnHome: home, now }: Host, project: OpenProject, card: string): boolean {
  const { key, identity, ledger, isLedgerLost } = project;
  const at = now().toISOString();
  if (ledger === undefined) {
    if (isLedgerLost) writeLedger(home, key, withGrant(newLedger(identity), tombstoneOf(card, at)));
    return isLedgerLost;
  }
  const grant = activeGrant(ledger, card);
  if (grant !== undefined) writeLedger(home, key, withGrant(ledger, { ...grant, revokedAt: at }));
  return grant !== undefined;
}

function tombstoneOf(card: string, at: string): Grant {
  const nothing = { source: "", publisher: null, range: "", ceiling: {}, approved: [] };
  return { ...DEFAULT_TERMS, ...nothing, card, grantedAt: at, revokedAt: at };
}
