import type { Ledger } from "../contract/ledger.ts";
import { drwn, placeIn } from "../kernel/advice.ts";
import type { Finding } from "../kernel/finding.ts";
import type { Host } from "../kernel/host.ts";

/** A person asked for the pause, but nobody should overlook it. */
export function checkPause(
  { scope, now }: Pick<Host, "scope" | "now">,
  root: string,
  ledger: Ledger | undefined,
): Finding[] {
  const until = ledger?.pausedUntil ?? null;
  if (until === null || Date.parse(until) <= now().getTime()) return [];
  return [
    {
      code: "paused",
      severity: "warning",
      subject: root,
      message: `the hook policies of ${placeIn(scope)} are paused until ${until}: none of them runs`,
      hint: drwn("pause", "--end"),
    },
  ];
}
