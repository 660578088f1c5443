import { parseCardName } from "../../card/name.ts";
import { DEFAULT_TERMS, type Grant } from "../../contract/ledger.ts";
import { drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import type { FileEdit } from "../../project/commit.ts";
import {
  commitProject,
  type OpenProject,
  openToDecide,
  requireLockedCard,
  withProject,
} from "../../project/open/open-project.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import {
  activeGrant,
  prepareLedger,
  replaceGrant,
  replacementLedger,
  withExceptions,
} from "../../trust/ledger-file.ts";

interface RevokeResult {
  card: string;
  /** False: nobody had consented. */
  revoked: boolean;
  /** Skills that the consent also covered: they stay where they are until the next `write`. */
  skills: string[];
  /** The record of consents was lost: every call stays blocked until `write`. */
  blocksUntilWrite?: true;
}

/** Withdraws the consent. It takes effect at the next tool call, without `write`. */
export async function revokeConsent(host: Host, name: string): Promise<RevokeResult> {
  const card = parseCardName(name);
  requirePerson(host, "withdraw a consent to hook policies", drwn("card untrust", card, "--hooks"));
  const revoke = (project: OpenProject): RevokeResult => {
    const isKnown = project.isLedgerLost || project.ledger?.grants.some((grant) => grant.card === card) === true;
    if (!isKnown) requireLockedCard(project, card);
    const revocation = editRevocation(host, project, card);
    commitProject(host, project, revocation);
    const isRevoked = revocation.length > 0;
    const last = isRevoked ? activeGrant(project.ledger, card)?.approved.at(-1) : undefined;
    const skills = Object.keys(last?.skills ?? {});
    const isBlocking = isRevoked && project.isLedgerLost;
    return { card, revoked: isRevoked, skills, ...(isBlocking ? { blocksUntilWrite: true } : {}) };
  };
  return withProject(host, revoke, openToDecide);
}

/**
 * Replaces the card's grant by a tombstone, even if the ledger is gone and the hook therefore blocks.
 * No edit if there is nothing to withdraw.
 */
export function editRevocation({ drwnHome: home, now }: Host, project: OpenProject, card: string): FileEdit[] {
  const { key, identity, ledger, isLedgerLost } = project;
  const at = now().toISOString();
  if (ledger === undefined) {
    return isLedgerLost
      ? [prepareLedger(home, key, replaceGrant(replacementLedger(identity), tombstoneOf(card, at)))]
      : [];
  }
  const grant = activeGrant(ledger, card);
  if (grant === undefined) return [];
  const revoked = replaceGrant(ledger, { ...grant, revokedAt: at });
  return [
    prepareLedger(
      home,
      key,
      withExceptions(revoked, (one) => one.card !== card),
    ),
  ];
}

function tombstoneOf(card: string, at: string): Grant {
  const nothing = { source: "", publisher: null, range: "", ceiling: {}, approved: [] };
  return { ...DEFAULT_TERMS, ...nothing, card, grantedAt: at, revokedAt: at };
}
