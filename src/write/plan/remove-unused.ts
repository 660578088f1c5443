import fs from "node:fs";
import path from "node:path";
import { layout } from "../../contract/layout.ts";
import type { Ledger } from "../../contract/ledger.ts";
import type { Plan } from "../../contract/plan.ts";
import { listFolder, sweepTemporaries } from "../../kernel/files.ts";

const A_DAY_MS = 24 * 60 * 60 * 1000;
/** Longer than any agent waits for its hook. */
const TEN_MINUTES_MS = 10 * 60 * 1000;
/** The owner's execute bit marks a file that nothing names; its modification time says since when. */
const DROPPED = 0o100;

interface SweepRequest {
  home: string;
  key: string;
  plan: Plan;
  /** Digests of the plan's shards. */
  shards: readonly string[];
  ledger: Ledger | undefined;
  now: Date;
}

/**
 * Removes plans, compiled policies and counts of turns when nothing has named them for a day, so that a hook process
 * that started before a change still finds what it has to read. Events that a killed hook left behind go after ten
 * minutes.
 */
export function sweepState({ home, key, plan, shards, ledger, now }: SweepRequest): void {
  const folder = layout.project(home, key);
  const live = new Set(plan.policies.map(({ bundle }) => `${bundle}.cjs`));
  for (const { approved, revokedAt } of ledger?.grants ?? []) {
    if (revokedAt !== null) continue;
    for (const { bundles } of approved) for (const digest of Object.values(bundles)) live.add(`${digest}.cjs`);
  }
  sweepFolder(path.join(folder, "bundles"), { isLive: (name) => live.has(name), now });
  const liveShards = new Set(shards.map((digest) => `${digest}.cjs`));
  sweepFolder(path.join(folder, "shards"), { isLive: (name) => liveShards.has(name), now });
  const isLiveFile = (name: string) => !/^(?:plan|turn|denied)-/u.test(name) || name === `plan-${ledger?.plan}.json`;
  sweepFolder(folder, { isLive: isLiveFile, now });
  sweepEvents(folder, now);
  const folders = [folder, path.join(folder, "bundles"), path.join(folder, "shards")];
  for (const place of [...folders, path.join(home, "bin"), layout.ledgers(home)]) {
    sweepTemporaries(place);
  }
}

function sweepFolder(folder: string, { isLive, now }: { isLive: (name: string) => boolean; now: Date }): void {
  for (const name of listFolder(folder)) {
    const file = path.join(folder, name);
    // A running hook process may remove it meanwhile.
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) continue;
    const isDropped = (stat.mode & DROPPED) !== 0;
    if (isLive(name)) {
      if (isDropped) fs.chmodSync(file, stat.mode & 0o777 & ~DROPPED);
    } else if (!isDropped) {
      fs.chmodSync(file, (stat.mode & 0o777) | DROPPED);
      fs.utimesSync(file, now, now);
    } else if (now.getTime() - stat.mtimeMs > A_DAY_MS) {
      fs.rmSync(file, { force: true });
    }
  }
}

function sweepEvents(folder: string, now: Date): void {
  for (const name of listFolder(folder).filter((one) => /^event-\d+$/u.test(one))) {
    const file = path.join(folder, name);
    const age = now.getTime() - (fs.lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now.getTime());
    if (age > TEN_MINUTES_MS) fs.rmSync(file, { force: true });
  }
}
