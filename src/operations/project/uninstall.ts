import fs from "node:fs";
import path from "node:path";
import { targetsOf } from "../../agents/targets.ts";
import { findLostEntries } from "../../check/lost-home.ts";
import { layout } from "../../contract/layout.ts";
import { drwn } from "../../kernel/advice.ts";
import { listFolder, removeTree, removeTreeInUse, sweepTemporaries } from "../../kernel/files.ts";
import { formatJson } from "../../kernel/format/json.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { isProblem } from "../../kernel/problem.ts";
import { AGENT_IDS } from "../../policy/event.ts";
import { projectFiles } from "../../project/identity.ts";
import { listKnownProjects } from "../../project/open/known-projects.ts";
import { type LocatedProject, locateProject } from "../../project/open/locate-project.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import { recordsOf } from "../../trust/project-key.ts";
import { applyChanges, type Change, planFile } from "../../wiring/changes.ts";
import { NOTHING_WRITTEN, readWriteRecord } from "../../wiring/write-record.ts";
import {
  planUninstall,
  type Remaining,
  stuckEntry,
  type UninstallPlan,
  type UninstallRequest,
} from "../../write/plan-uninstall.ts";
import { planWiring } from "../../write/plan-wiring.ts";

interface UninstallOptions extends UninstallRequest {
  dryRun: boolean;
  /** Also consents, journals, the store and everything else that only drwn itself needs. */
  purge: boolean;
}

export interface UninstallResult {
  changes: Pick<Change, "action" | "path" | "what">[];
  /** drwn's folders and files that were removed whole. */
  removed: string[];
  projects: { folders: string[]; isThere: boolean }[];
  remaining: Remaining[];
}

/**
 * Takes drwn's entries, and the skills and MCP servers that it wrote, out of every agent and project that this machine
 * knows. It reports what it cannot take out, with what to remove by hand, and goes on with the rest. Consents stay, so
 * that `write` can put everything back; a purge removes them, but only if no entry is left that would block without
 * them.
 */
export async function uninstall(host: Host, options: UninstallOptions): Promise<UninstallResult> {
  if (options.dryRun) return describe(host, options, planAll(host, options));
  requirePerson(host, "take the guards out of the agents", drwn("uninstall"));
  const { drwnHome: home } = host;
  const keys = listKnownProjects(home).map(({ key }) => key);
  const done = await withLocks(home, [...keys, "machine"], () => {
    const plan = planAll(host, options);
    applyPlan(plan);
    sweepTemporaries(home);
    const result = describe(host, options, plan);
    for (const folder of result.removed) removeWhole(folder);
    // Without this folder the launcher cannot tell a project from other folders, and would block sessions that still
    // have the entry.
    if (fs.existsSync(layout.launcher(home))) fs.mkdirSync(layout.roots(home), { recursive: true, mode: 0o700 });
    return result;
  });
  if (options.purge) removeIfEmpty(home);
  return done;
}

/** Also entries that came with settings from another home that is gone. */
function planAll(host: Host, options: UninstallOptions): UninstallPlan {
  const plan = planUninstall(host, options);
  const planned = new Set(plan.settings.map(({ path }) => path));
  const ofOthers = findLostEntries(host).flatMap(({ changes }) => changes.filter(({ path }) => !planned.has(path)));
  return { ...plan, settings: [...plan.settings, ...ofOthers] };
}

/** Takes the projects' locks, in one order, before the machine's, as `write` does. */
async function withLocks<T>(home: string, [name, ...rest]: readonly string[], work: () => T): Promise<T> {
  if (name === undefined) return work();
  return withLock(layout.lock(home, name), () => withLocks(home, rest, work));
}

/** Changes each file on its own: it reports one that the system refuses to change, and goes on with the others. */
function applyPlan({ settings, projects, remaining }: UninstallPlan): void {
  for (const change of settings) attempt(change, remaining);
  for (const { changes, record } of projects) {
    const failed = changes.filter((change) => !attempt(change, remaining));
    if (failed.length === 0 && record !== undefined) attempt(record, remaining);
  }
}

function attempt(change: Change, remaining: Remaining[]): boolean {
  try {
    applyChanges([change]);
    return true;
  } catch (error) {
    if (!isProblem(error)) throw error;
    remaining.push(stuckEntry(change.path, error.message));
    return false;
  }
}

function describe(
  host: Host,
  options: UninstallOptions,
  { settings, projects, remaining }: UninstallPlan,
): UninstallResult {
  const { drwnHome: home } = host;
  const isStuck = remaining.some(({ kind }) => kind === "entry");
  const isPurged = options.purge && !isStuck;
  const removed = isPurged
    ? layout.purgeable(home).filter((place) => fs.existsSync(place))
    : // An earlier run left the empty ones.
      [layout.roots(home), layout.inodes(home)].filter((place) => listFolder(place).length > 0);
  const changed = [...settings, ...projects.flatMap(({ changes }) => changes)];
  const stuck = new Set(remaining.map(({ path }) => path));
  return {
    changes: changed.filter(({ path }) => !stuck.has(path)).map(({ action, path, what }) => ({ action, path, what })),
    removed,
    projects: projects.map(({ project: { folders, present } }) => ({ folders, isThere: present.length > 0 })),
    remaining: [...remaining, ...remainingState(host, { removed, isPurged, wanted: options.purge }, projects)],
  };
}

function remainingState(
  { drwnHome: home, scope }: Host,
  { removed, isPurged, wanted }: { removed: readonly string[]; isPurged: boolean; wanted: boolean },
  projects: UninstallPlan["projects"],
): Remaining[] {
  const kept = listFolder(home)
    .map((name) => path.join(home, name))
    .filter((place) => !removed.includes(place) && path.basename(place) !== "locks");
  const purgeable = new Set(layout.purgeable(home));
  const why = wanted
    ? "kept, since entries are left that block without it"
    : `consents, journals and the store; \`${scope === "system" ? "sudo drwn write --system` puts the" : "drwn write` in a project puts its"} guards back`;
  const state = kept.map(
    (place): Remaining =>
      isPurged || !purgeable.has(place)
        ? {
            kind: "state",
            path: place,
            why: "keys, sources, published cards and settings, which are yours",
            hint: null,
          }
        : { kind: "state", path: place, why, hint: wanted ? null : PURGE },
  );
  const asked = projects.flatMap(({ project }) =>
    project.present.map((folder) => path.dirname(projectFiles.config(folder))),
  );
  // What holds in every folder is asked for in drwn's own home.
  const repositories = [...new Set(asked)].filter((folder) => !folder.startsWith(`${home}/`) && fs.existsSync(folder));
  return [
    ...state,
    ...repositories.map(
      (place): Remaining => ({ kind: "state", path: place, why: "the project's own files", hint: null }),
    ),
  ];
}

const PURGE = drwn("uninstall", "--purge");

function removeWhole(place: string): void {
  if (fs.lstatSync(place).isDirectory()) removeTreeInUse(place);
  else fs.rmSync(place);
}

function removeIfEmpty(home: string): void {
  removeTree(layout.locks(home));
  if (listFolder(home).length === 0 && fs.existsSync(home)) fs.rmdirSync(home);
}

/**
 * Takes out what holds in every folder, and leaves the guards of projects as they are. It removes the entries that no
 * project needs from the agents' settings, and the markers that the launcher looks for. Consents stay, so that `write`
 * can put it back; a purge removes them, too. Root's home has nothing else, so that all of it goes.
 */
export async function uninstallGlobal(host: Host, { dryRun, purge }: UninstallOptions): Promise<UninstallResult> {
  const { drwnHome: home, scope } = host;
  const global = locateProject(host);
  const state = scope === "system" ? layout.purgeable(home) : stateOf(home, global);
  const describe = (changes: readonly Change[]): UninstallResult => {
    const removed = purge ? state.filter((place) => fs.existsSync(place)) : [];
    return {
      changes: changes.map(({ action, path, what }) => ({ action, path, what })),
      removed,
      projects: [],
      remaining: scope === "system" ? remainingState(host, { removed, isPurged: purge, wanted: purge }, []) : [],
    };
  };
  if (dryRun) return describe(planRemoval(host, global));
  requirePerson(host, "take the guards out of the agents", drwn("uninstall"));
  const done = await withLock(layout.lock(home, global.key), () =>
    withLock(layout.lock(home, "machine"), () => {
      const changes = planRemoval(host, global);
      applyChanges(changes);
      // Taking the entries out may make a record. What goes is told before it is removed.
      const result = describe(changes);
      for (const place of result.removed) removeWhole(place);
      return result;
    }),
  );
  if (purge && scope === "system") removeIfEmpty(home);
  return done;
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
