import { type Ledger, LONGEST_PAUSE_MS } from "../../contract/ledger.ts";
import { drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { withProject } from "../../project/open/open-project.ts";
import { requirePerson, requireTerminal } from "../../project/open/require-person.ts";
import { appendConsentEvents, type ConsentEvent } from "../../trust/consent-log.ts";
import { writeLedger } from "../../trust/ledger-file.ts";

const MINUTE_MS = 60_000;
export const LONGEST_PAUSE_MINUTES = LONGEST_PAUSE_MS / MINUTE_MS;

export interface PauseResult {
  root: string;
  /** ISO 8601; null: nothing was paused. */
  until: string | null;
}

/**
 * Silences every hook policy of the project for some minutes, so that nobody has to take a guard out to get unstuck. It
 * ends by itself. Only a person at a terminal can pause; the consent log records it, and status, doctor and write show
 * it.
 */
export async function pauseProject(host: Host, minutes: number): Promise<PauseResult> {
  const command = drwn("pause", "--minutes", `${minutes}`);
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > LONGEST_PAUSE_MINUTES) {
    throw new Problem(
      "DRWN_PAUSE_INVALID",
      `a pause lasts from 1 to ${LONGEST_PAUSE_MINUTES} minutes, not ${minutes}`,
      {
        hint: drwn("pause", "--minutes", "30"),
      },
    );
  }
  requirePerson(host, "silence the hook policies of a project", command);
  requireTerminal(host, "silence the hook policies of a project", command);
  const now = host.now();
  const until = new Date(now.getTime() + minutes * MINUTE_MS).toISOString();
  return withProject(host, ({ root, key, ledger }) => {
    if (ledger === undefined || ledger.plan === null) {
      throw new Problem("DRWN_PAUSE_INVALID", `no hook policy is in force in ${root}`, { hint: drwn("status") });
    }
    replaceLedger({ host, key }, { ...ledger, pausedUntil: until }, "paused");
    return { root, until };
  });
}

/** Ends a pause. Anybody may: it puts back in force what a person has approved. */
export async function resumeProject(host: Host): Promise<PauseResult & { wasPaused: boolean }> {
  return withProject(host, ({ root, key, ledger }) => {
    const wasPaused = isPaused(ledger, host.now());
    if (ledger !== undefined && ledger.pausedUntil !== null) {
      replaceLedger({ host, key }, { ...ledger, pausedUntil: null }, "resumed");
    }
    return { root, until: null, wasPaused };
  });
}

export function isPaused(ledger: Ledger | undefined, now: Date): boolean {
  return ledger !== undefined && ledger.pausedUntil !== null && Date.parse(ledger.pausedUntil) > now.getTime();
}

function replaceLedger(
  { host, key }: { host: Host; key: string },
  ledger: Ledger,
  what: Extract<ConsentEvent["what"], "paused" | "resumed">,
): void {
  const nothing = { card: null, version: null, tree: null, range: null, mode: null, by: null };
  const time = host.now().toISOString();
  appendConsentEvents(host.drwnHome, key, [
    { ...nothing, sequence: ledger.sequence + 1, time, what, until: ledger.pausedUntil },
  ]);
  writeLedger(host.drwnHome, key, ledger);
}
