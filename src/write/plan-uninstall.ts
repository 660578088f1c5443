import { allTargets } from "../agents/targets.ts";
import { layout } from "../contract/layout.ts";
import { advise, drwn, type Text } from "../kernel/advice.ts";
import { formatJson } from "../kernel/format/json.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { findProjectRoot, identifyProject } from "../project/identity.ts";
import { type KnownProject, listKnownProjects } from "../project/open/known-projects.ts";
import { findFormerProject } from "../trust/former-project.ts";
import { type Change, planFile } from "../wiring/changes.ts";
import { planTakeOut } from "../wiring/entries/plan-entries.ts";
import { isInside } from "../wiring/file-location.ts";
import { isCommittedCommand, isHookCommand } from "../wiring/launcher.ts";
import { readSettingsRecord } from "../wiring/write-record.ts";
import { planContent } from "./content.ts";

/** What has to change in one project; its record goes last. */
interface ProjectRemoval {
  project: KnownProject;
  changes: Change[];
  record: Change | undefined;
}

export interface UninstallPlan {
  /** Settings of agents, the user's and the projects', each file once. */
  settings: Change[];
  projects: ProjectRemoval[];
  remaining: Remaining[];
}

export interface UninstallRequest {
  /** Also take out what projects commit for everybody. */
  shared: boolean;
}

/** What has to change so that no agent on this machine calls drwn or finds anything that drwn wrote. Writes nothing. */
export function planUninstall(host: Host, request: UninstallRequest): UninstallPlan {
  const here = findProjectRoot(host.cwd);
  const known = withFormerProject(host.drwnHome, here, listKnownProjects(host.drwnHome));
  const sweep = new SettingsSweep(host, request, known);
  sweep.takeOutRemembered();
  const folders = [...known.flatMap(({ present }) => present), ...(here === undefined ? [] : [here]), host.home];
  for (const folder of new Set(folders)) sweep.takeOutOf(folder);
  const remaining = [...sweep.remaining.values()];
  const settings = [...sweep.changes.values()];
  const projects = known.map((project) => planProject({ home: host.drwnHome, settings, project, remaining }));
  return { settings, projects, remaining };
}

/** drwn knows a moved project only by its former path; if the command runs in it, that shows the new one. */
function withFormerProject(home: string, here: string | undefined, known: KnownProject[]): KnownProject[] {
  if (here === undefined || known.some(({ present }) => present.includes(here))) return known;
  const former = findFormerProject(home, identifyProject(here));
  return known.map((one) =>
    one.key === former?.key ? { ...one, folders: [...one.folders, here], present: [...one.present, here] } : one,
  );
}

interface RemovalRequest {
  home: string;
  /** Changes that come before. */
  settings: readonly Change[];
  project: KnownProject;
  remaining: Remaining[];
}

function planProject({ home, settings, project, remaining }: RemovalRequest): ProjectRemoval {
  const { key, present, written } = project;
  const changes = new Map<string, Change>();
  if (written === undefined || present.length === 0) return { project, changes: [], record: undefined };
  const next = { ...written, runtimes: [], skills: {}, servers: {} };
  for (const root of present) {
    try {
      const content = planContent({ root, cards: [], skills: new Map(), runtimes: [], written, planned: settings });
      for (const change of content.changes) changes.set(change.path, change);
      for (const path of content.leftUntouched) remaining.push({ kind: "file", path, why: CHANGED, hint: null });
      Object.assign(next.skills, content.skills);
      Object.assign(next.servers, content.servers);
    } catch (error) {
      if (!isProblem(error)) throw error;
      remaining.push({ kind: "file", path: root, why: error.message, hint: error.hint ?? null });
      return { project, changes: [...changes.values()], record: undefined };
    }
  }
  const after = Buffer.from(formatJson(next));
  const what = "record of what was written";
  return {
    project,
    changes: [...changes.values()],
    record: planFile({ path: layout.written(home, key), after, what, mode: 0o600 }),
  };
}

const CHANGED = "it was changed after drwn wrote it";

/** Something of drwn that stays. */
export interface Remaining {
  /** `entry`: calls drwn but could not be taken out. `shared`: a project commits it. `file`: a person changed it. */
  kind: "entry" | "shared" | "file" | "state";
  path: string;
  why: string;
  /** What a person can do about it; null: there is nothing to do. */
  hint: Text | null;
}

/** Collects the changes of settings files by path, and the entries in them that must stay. */
class SettingsSweep {
  readonly changes = new Map<string, Change>();
  readonly remaining = new Map<string, Remaining>();
  private readonly host: Host;
  private readonly shared: boolean;
  private readonly known: readonly KnownProject[];
  private readonly files: ReturnType<typeof readSettingsRecord>["files"];

  constructor(host: Host, { shared }: { shared: boolean }, known: readonly KnownProject[]) {
    this.host = host;
    this.shared = shared;
    this.known = known;
    this.files = this.attempt(layout.wiring(host.drwnHome), () => readSettingsRecord(host.drwnHome).files) ?? {};
  }

  /** Every settings file that drwn remembers, separately: one that can't be read doesn't stop the others. */
  takeOutRemembered(): void {
    for (const [settingsFile, record] of Object.entries(this.files)) {
      // A file that is only drwn's: `takeOutOf` handles it through its agent.
      if (!settingsFile.endsWith(".json")) continue;
      const isOurs = (command: string) =>
        isHookCommand(command, this.host.drwnHome) || (this.shared && isCommittedCommand(command));
      const root = this.rootOf(settingsFile);
      const planned = this.attempt(settingsFile, () => planTakeOut({ settingsFile, root, isOurs, record }));
      if (planned?.change !== undefined) this.add(planned.change);
    }
  }

  /** Everything else that the agents find in this project and in the user's own settings. */
  takeOutOf(root: string): void {
    for (const target of allTargets()) {
      const place = { host: this.host, root };
      const committed = this.shared ? null : (target.committedEntry?.(place) ?? null);
      if (committed !== null) this.remaining.set(`shared ${committed}`, sharedEntry(committed));
      const planned = this.attempt(`the settings of ${target.runtime} for ${root}`, () =>
        target.planHooks({
          ...place,
          wiring: "user",
          own: [],
          others: [],
          shared: this.shared ? "take-out" : "keep",
          originalOf: (file) => this.files[file],
        }),
      );
      for (const change of planned?.changes ?? []) if (change.path !== committed) this.add(change);
    }
  }

  private add(change: Change): void {
    if (!this.changes.has(change.path)) this.changes.set(change.path, change);
  }

  private rootOf(file: string): string {
    const around = this.known.flatMap(({ folders }) => folders).filter((folder) => isInside(folder, file));
    const [nearest] = around.sort((left, right) => right.length - left.length);
    if (nearest !== undefined) return nearest;
    return isInside(this.host.home, file) ? this.host.home : file.slice(0, file.lastIndexOf("/"));
  }

  private attempt<T>(path: string, plan: () => T): T | undefined {
    try {
      return plan();
    } catch (error) {
      if (!isProblem(error)) throw error;
      const isSaid = [...this.remaining.values()].some(({ why }) => why === error.message);
      if (!isSaid) this.remaining.set(path, stuckEntry(path, error.message));
      return undefined;
    }
  }
}

export function stuckEntry(path: string, why: string): Remaining {
  const hint = "correct or remove it; the command of an entry of drwn names bin/hook in drwn's folder";
  return { kind: "entry", path, why, hint };
}

function sharedEntry(path: string): Remaining {
  const why = "the project commits an entry for everybody, which blocks where drwn is not set up";
  return {
    kind: "shared",
    path,
    why,
    hint: advise`${drwn("uninstall", "--shared")}, or remove the entry that calls drwn`,
  };
}
