import type { Approval, Ledger } from "../contract/ledger.ts";
import type { JoinFacts } from "./activation.ts";

/** The ledger with everything that this machine knows about yanked versions; the same object if nothing is new. */
export function withYanks(ledger: Ledger, releaseOf: JoinFacts["releaseOf"]): Ledger {
  const grants = ledger.grants.map((grant) => {
    if (grant.revokedAt !== null) return grant;
    const approved = grant.approved.map((approval) => withYank(approval, releaseOf));
    return approved.some((approval, at) => approval !== grant.approved[at]) ? { ...grant, approved } : grant;
  });
  return grants.some((grant, at) => grant !== ledger.grants[at]) ? { ...ledger, grants } : ledger;
}

/** A content that the machine doesn't know stays as it is. */
function withYank(approval: Approval, releaseOf: JoinFacts["releaseOf"]): Approval {
  const release = releaseOf(approval.tree);
  return release === undefined || release.yankedAt === approval.yankedAt
    ? approval
    : { ...approval, yankedAt: release.yankedAt };
}
