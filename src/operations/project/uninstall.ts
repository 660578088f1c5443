import fs from "node:fs";
import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { findLostEntries } from "../../guarding/lost-home.ts";
import { drwn } from "../../kernel/advice.ts";
import { listFolder, removeTree, removeTreeInUse, sweepTemporaries } from "../../kernel/atomic.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { isProblem } from "../../kernel/problem.ts";
import { planUninstall, type UninstallPlan, type UninstallRequest } from "../../materialize/plan-uninstall.ts";
import { type Remaining, stuckEntry } from "../../materialize/settings-sweep.ts";
import { projectFiles } from "../../project/files.ts";
import { applyChanges, type Change } from "../../wiring/changes.ts";
import { listKnownProjects } from "../../workspace/known-projects.ts";

import { requirePerson } from "../../workspace/require-person.ts";

export interface UninstallOptions extends UninstallRequest {
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
      [layout.roots(home), layout.places(home)].filter((place) => listFolder(place).length > 0);
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
  { drwnHome: home }: Host,
  { removed, isPurged, wanted }: { removed: readonly string[]; isPurged: boolean; wanted: boolean },
  projects: UninstallPlan["projects"],
): Remaining[] {
  const kept = listFolder(home)
    .map((name) => path.join(home, name))
    .filter((place) => !removed.includes(place) && path.basename(place) !== "locks");
  const why = isPurged
    ? "not only drwn's: keys, sources, published cards, settings"
    : wanted
      ? "kept, since entries are left that block without it"
      : "consents, journals and the store; `drwn write` in a project puts its guards back";
  const state = kept.map((place): Remaining => ({ kind: "state", path: place, why, hint: wanted ? null : PURGE }));
  const asked = projects.flatMap(({ project }) =>
    project.present.map((folder) => path.dirname(projectFiles.config(folder))),
  );
  const repositories = [...new Set(asked)].filter((folder) => fs.existsSync(folder));
  return [
    ...state,
    ...repositories.map(
      (place): Remaining => ({ kind: "state", path: place, why: "the project's own files", hint: null }),
    ),
  ];
}

const PURGE = drwn("uninstall", "--purge");

export function removeWhole(place: string): void {
  if (fs.lstatSync(place).isDirectory()) removeTreeInUse(place);
  else fs.rmSync(place);
}

function removeIfEmpty(home: string): void {
  removeTree(layout.locks(home));
  if (listFolder(home).length === 0 && fs.existsSync(home)) fs.rmdirSync(home);
}
