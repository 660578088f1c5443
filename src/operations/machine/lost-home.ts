import fs from "node:fs";
import type { Guarding } from "../../check/guarding.ts";
import { findLostEntries, guardingOfLost, type LostEntry } from "../../check/lost-home.ts";
import { layout } from "../../contract/layout.ts";
import { drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { findObstacle } from "../../project/open/check-home.ts";
import { listKnownProjects } from "../../project/open/known-projects.ts";
import { hasProject } from "../../project/open/locate-project.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import { readLedger } from "../../trust/ledger-file.ts";
import { writeMarkers } from "../../trust/project-key.ts";
import { applyChanges } from "../../wiring/changes.ts";
import { planProgram } from "../../write/program.ts";

export interface LostAnswer {
  guarding: Guarding;
}

/**
 * For a folder in no project, while an agent asks a hook that is gone: the answer is the same in every folder. In a
 * project, too, if nothing can be read because of what is in the place of drwn's home.
 */
export function readLost(host: Host): LostAnswer | undefined {
  const obstacle = findObstacle(host.drwnHome);
  if (obstacle === undefined && (host.scope !== undefined || hasProject(host))) return undefined;
  const guarding = guardingOfLost(host);
  if (guarding === undefined && obstacle !== undefined) throw obstacle;
  return guarding === undefined ? undefined : { guarding };
}

export interface EndedLoss {
  /** The settings files out of which drwn took its entries; their hook is gone, and nobody consented to anything here. */
  files: string[];
  /** The home in which drwn made the hook anew, for the consents that are still there; null: it didn't. */
  madeAnew: string | null;
  /** Whether there is a project here, in which the command goes on. */
  hasProject: boolean;
}

/**
 * Ends the state in which agents ask a hook that is gone, and block every call. If consents are left, the hook and the
 * records of their projects are made anew; otherwise the entries go. Undefined: there was nothing to end.
 */
export async function endLostHome(host: Host): Promise<EndedLoss | undefined> {
  const lost = host.scope === undefined ? findLostEntries(host) : [];
  if (lost.length === 0) return undefined;
  const { drwnHome: home } = host;
  const held = listKnownProjects(home).flatMap(({ key }) => {
    const ledger = readLedger(home, key);
    return ledger == null || ledger.plan === null ? [] : [{ key, identity: ledger.project }];
  });
  const isKept = ({ home: named }: LostEntry) => named === home && held.length > 0;
  const gone = lost.filter((entry) => !isKept(entry));
  if (gone.length > 0) requirePerson(host, "take drwn's entries out of the agents", drwn("write"));
  return withLock(layout.lock(home, "machine"), () => {
    const kept = lost.filter(isKept);
    if (kept.length > 0) {
      applyChanges(planProgram(home, host.nodePath));
      for (const { key, identity } of held) writeMarkers(home, identity, key);
      fs.mkdirSync(layout.roots(home), { recursive: true, mode: 0o700 });
    }
    for (const { changes } of gone) applyChanges(changes);
    const files = [...new Set(gone.flatMap(({ changes }) => changes.map(({ path }) => path)))];
    return { files, madeAnew: kept.length > 0 ? home : null, hasProject: hasProject(host) };
  });
}
