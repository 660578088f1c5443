import fs from "node:fs";
import { parseCardName } from "../card/name.ts";
import { layout } from "../contract/layout.ts";
import type { Ledger } from "../contract/ledger.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { type OpenProject, openProject, requireLockedCard } from "../materialize/open-project.ts";
import { withdrawRequest } from "../project/trust-request.ts";
import { activeGrant, newLedger, withGrant, writeLedger } from "../trust/ledger-file.ts";
import { markersOf } from "../trust/project-key.ts";

/** Withdraws the consent. It takes effect at the next tool call, without `write`. Returns false when there was none. */
export async function revokeConsent(host: Host, name: string): Promise<{ card: string; revoked: boolean }> {
  const card = parseCardName(name);
  const { key } = openProject(host);
  return withLock(layout.lock(host.drwnHome, key), () => {
    const project = openProject(host);
    if (activeGrant(project.ledger, card) === undefined) requireLockedCard(project, card);
    const revoked =
      project.ledger === undefined ? revokeLost(host, project, card) : revokeGrant(host, project, card) !== undefined;
    withdrawRequest(project.root, card);
    return { card, revoked };
  });
}

/** The ledger is gone, and the hook blocks for want of it: a tombstone says that silence is meant. */
function revokeLost({ drwnHome: home, now }: Host, { key, identity }: OpenProject, card: string): boolean {
  if (!markersOf(home, identity).some((marker) => fs.existsSync(marker))) return false;
  const at = now().toISOString();
  const tombstone = {
    card,
    source: "",
    publisher: null,
    range: "",
    grantedAt: at,
    revokedAt: at,
    ceiling: {},
    approved: [],
  };
  writeLedger(home, key, withGrant(newLedger(identity), tombstone));
  return true;
}

/** Leaves a tombstone in the place of the card's grant. The caller holds the project's lock. */
export function revokeGrant(host: Host, { key, ledger }: OpenProject, card: string): Ledger | undefined {
  const grant = activeGrant(ledger, card);
  if (ledger === undefined || grant === undefined) return undefined;
  return writeLedger(host.drwnHome, key, withGrant(ledger, { ...grant, revokedAt: host.now().toISOString() }));
}
