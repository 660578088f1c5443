import type { Ledger } from "../contract/ledger.ts";
import type { Finding } from "../kernel/finding.ts";

/** A person asked for the pause, but nobody should overlook it. */
export function checkPause(root: string, ledger: Ledger | undefined, now: Date): Finding[] {
  const until = ledger?.pausedUntil ?? null;
  if (until === null || Date.parse(until) <= now.getTime()) return [];
  return [
    {
      code: "paused",
      severity: "warning",
      subject: root,
      message: `the hook policies of this project are paused until ${until}: none of them runs`,
      hint: "drwn pause --end",
    },
  ];
}
