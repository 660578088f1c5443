import type { Finding } from "../kernel/finding.ts";
import type { OpenProject } from "../materialize/open-project.ts";

/** A ledger that is gone is no withdrawal: the hook blocks every call until a person says what is meant. */
export function checkLedger({ isLedgerLost, root }: OpenProject): Finding[] {
  if (!isLedgerLost) return [];
  return [
    {
      code: "consents-lost",
      severity: "error",
      subject: root,
      message: "the record of what you consented to here is gone, so the hook blocks every tool call",
      hint: "drwn card trust <card> --hooks, or drwn card untrust <card> --hooks",
    },
  ];
}
