import type { Grant, Ledger } from "../contract/ledger.ts";
import { advise, drwn } from "../kernel/advice.ts";
import type { Finding } from "../kernel/finding.ts";
import type { ConsentEvent, ConsentLog } from "../trust/log/consent-log.ts";

/**
 * Compares the ledger with the log of how it came about. drwn writes both. If somebody, an agent for example, edits one
 * by hand, the two differ.
 */
export function checkConsentLog(ledger: Ledger | undefined, { events, broken }: ConsentLog): Finding[] {
  const faults = broken.map((line) => `line ${line} of the log does not follow from the one before it`);
  // A ledger that is older than its log has nothing to be compared with.
  if (ledger !== undefined && events.length > 0) {
    for (const grant of ledger.grants) faults.push(...compareGrant(grant, events));
    for (const card of new Set(events.map((event) => event.card))) {
      if (card !== null && !ledger.grants.some((grant) => grant.card === card))
        faults.push(`${card} is gone from the ledger`);
    }
  }
  return faults.map((fault) => ({
    code: "consent-log-differs",
    severity: "error",
    subject: "consents",
    message: `something other than drwn changed the record of your consents: ${fault}`,
    hint: advise`${drwn("trust")}, ${drwn("trust", "--log")}, then consent again to what you want`,
  }));
}

/** The events that make or change a consent; the others, such as an exception, leave its terms alone. */
const CONSENTS: ReadonlySet<ConsentEvent["what"]> = new Set(["granted", "approved", "set", "revoked"]);

function compareGrant(grant: Grant, events: readonly ConsentEvent[]): string[] {
  const { card, revokedAt, mode, range, approved } = grant;
  // Nobody approved a version that was held back.
  const own = events.filter((event) => event.card === card && event.what !== "held");
  const last = own.findLast(({ what }) => CONSENTS.has(what));
  if (last === undefined) return [`${card} is in the ledger, but nobody consented to it`];
  if ((revokedAt !== null) !== (last.what === "revoked")) {
    return [
      `${card} ${revokedAt === null ? "is in the ledger, but was withdrawn" : "is withdrawn, but nobody withdrew it"}`,
    ];
  }
  if (revokedAt !== null) return [];
  const unknown = approved.find(({ tree }) => !own.some((event) => event.tree === tree));
  return [
    ...(last.mode === mode ? [] : [`${card} is in the mode ${mode}, but the consent was for ${last.mode ?? "none"}`]),
    ...(last.range === range
      ? []
      : [`${card} has the range ${range}, but the consent was for ${last.range ?? "none"}`]),
    ...(unknown === undefined
      ? []
      : [`${card}@${unknown.cardVersion} is approved, but nobody approved it (${unknown.tree})`]),
  ];
}
