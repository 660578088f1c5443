import fs from "node:fs";
import { targetsOf } from "../../agents/targets.ts";
import { layout } from "../../contract/layout.ts";
import { formatJson } from "../../format/write.ts";
import { drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { planWiring } from "../../materialize/plan-wiring.ts";
import { AGENT_IDS } from "../../policy/event.ts";
import { recordsOf } from "../../trust/project-key.ts";
import { applyChanges, type Change, planFile } from "../../wiring/changes.ts";
import { NOTHING_WRITTEN, readWriteRecord } from "../../wiring/write-record.ts";
import { type LocatedProject, locateProject } from "../../workspace/locate-project.ts";
import { requirePerson } from "../../workspace/require-person.ts";
import { removeWhole, type UninstallOptions, type UninstallResult } from "./uninstall.ts";

/**
 * Takes out what holds in every folder, and leaves the guards of projects as they are. It removes the entries that no
 * project needs from the agents' settings, and the markers that the launcher looks for. Consents stay, so that `write`
 * can put it back; a purge removes them, too.
 */
export async function uninstallGlobal(host: Host, { dryRun, purge }: UninstallOptions): Promise<UninstallResult> {
  const { drwnHome: home } = host;
  const global = locateProject(host);
  const removed = purge ? stateOf(home, global).filter((place) => fs.existsSync(place)) : [];
  const describe = (changes: readonly Change[]): UninstallResult => ({
    changes: changes.map(({ action, path, what }) => ({ action, path, what })),
    removed,
    projects: [],
    remaining: [],
  });
  if (dryRun) return describe(planRemoval(host, global));
  requirePerson(host, "take the guards out of the agents", drwn("uninstall"));
  return withLock(layout.lock(home, global.key), () =>
    withLock(layout.lock(home, "machine"), () => {
      const changes = planRemoval(host, global);
      applyChanges(changes);
      for (const place of removed) removeWhole(place);
      return describe(changes);
    }),
  );
}

/** Removes the markers last: until then every call is judged. */
function planRemoval(host: Host, { root, identity, key }: LocatedProject): Change[] {
  const { drwnHome: home } = host;
  const written = readWriteRecord(home, key);
  const { settings, records } = planWiring({
    ...{ host, root, key, wiring: "user", shared: "keep", policies: [], runtimes: [] },
    former: targetsOf(AGENT_IDS).flatMap(({ isProjectOnly, runtime }) => (isProjectOnly ? [] : [runtime])),
  });
  const record = planFile({
    path: layout.written(home, key),
    after: written === undefined ? null : Buffer.from(formatJson({ ...NOTHING_WRITTEN, folder: written.folder })),
    what: "record of what was written",
    mode: 0o600,
  });
  const markers = recordsOf(home, identity, key).map(({ file }) =>
    planFile({ path: file, after: null, what: "project marker", mode: 0o600 }),
  );
  return [...records, ...settings, record, ...markers].filter((change) => change !== undefined);
}

function stateOf(home: string, { root, key }: LocatedProject): string[] {
  return [layout.ledger(home, key), layout.consentLog(home, key), layout.project(home, key), root];
}
