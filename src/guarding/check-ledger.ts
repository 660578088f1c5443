import { advise, drwn } from "../kernel/advice.ts";
import type { Finding } from "../kernel/finding.ts";
import type { Problem } from "../kernel/problem.ts";
import { isSameFolder } from "../trust/former-project.ts";
import type { OpenProject } from "../workspace/open-project.ts";
import { faultFinding } from "./fault.ts";

/** A lost ledger isn't a withdrawal: the hook blocks every call until a person says what they want. */
export function checkLedger({ isLedgerLost, ledgerFault, root, formerPath, ledger }: OpenProject): Finding[] {
  if (ledgerFault !== null) return [damaged(root, ledgerFault)];
  if (formerPath !== null) return [movedFrom(formerPath, root)];
  if (ledger !== undefined && !isSameFolder(ledger.project)) return [replaced(ledger.project.path)];
  if (!isLedgerLost) return [];
  return [
    {
      code: "consents-lost",
      severity: "error",
      subject: root,
      message: "the record of what you consented to here is gone, so the hook blocks every tool call",
      hint: advise`${drwn("card trust", "<card>", "--hooks")}, or ${drwn("card untrust", "<card>", "--hooks")}`,
    },
  ];
}

function damaged(subject: string, { message, hint = drwn("doctor") }: Pick<Problem, "message" | "hint">): Finding {
  return faultFinding("ledger-invalid", subject, `${message}, so the hook blocks every tool call`, hint);
}

function movedFrom(formerPath: string, root: string): Finding {
  return {
    code: "project-moved",
    severity: "error",
    subject: root,
    message: `this folder was ${formerPath}, where you consented to hook policies; none of them runs here, and every tool call is blocked until a person decides`,
    hint: "drwn trust adopt, or: drwn trust adopt --forget",
  };
}

function replaced(path: string): Finding {
  return {
    code: "project-replaced",
    severity: "warning",
    subject: path,
    message: "isn't the folder in which you gave your consents; they stay in force, but no new version joins by itself",
    hint: advise`${drwn("card trust", "<card>", "--hooks")}, to say that they are meant for this one`,
  };
}
