import { planTakeOut } from "../agents/hook-file/take-out.ts";
import { TARGETS } from "../agents/targets.ts";
import { layout } from "../contract/layout.ts";
import { formatJson } from "../format/write.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { findProjectRoot, identifyProject } from "../project/identity.ts";
import { findFormerPlace } from "../trust/former-place.ts";
import { type Change, planFile } from "./changes.ts";
import { planContent } from "./content.ts";
import { type KnownProject, listKnownProjects } from "./known-projects.ts";
import { isHookCommand, isSharedCommand } from "./launcher.ts";
import { isInside } from "./targets/place.ts";
import { readWiring } from "./written.ts";

/** Something of drwn that stays. */
export interface Remaining {
  /** `entry`: calls drwn and could not be taken out. `shared`: a project commits it. `file`: a person changed it. */
  kind: "entry" | "shared" | "file" | "state";
  path: string;
  why: string;
  /** What a person can do about it; null: nothing needs to be done. */
  hint: string | null;
}

/** What has to change in one project; its record goes only after the rest went. */
export interface ProjectRemoval {
  project: KnownProject;
  changes: Change[];
  record: Change | undefined;
}

export interface UninstallPlan {
  /** Of agents: user's and projects' alike, each file once. */
  settings: Change[];
  projects: ProjectRemoval[];
  remaining: Remaining[];
}

export interface UninstallRequest {
  /** Also what projects commit for everybody. */
  shared: boolean;
}

/** What has to change for no agent on this machine to call drwn, or to find something that drwn wrote. Nothing is written. */
export function planUninstall(host: Host, request: UninstallRequest): UninstallPlan {
  const here = findProjectRoot(host.cwd);
  const known = withFormerPlace(host.drwnHome, here, listKnownProjects(host.drwnHome));
  const sweep = new SettingsSweep(host, request, known);
  sweep.takeOutRemembered();
  const folders = [...known.flatMap(({ present }) => present), ...(here === undefined ? [] : [here]), host.home];
  for (const folder of new Set(folders)) sweep.takeOutOf(folder);
  const remaining = [...sweep.remaining.values()];
  const settings = [...sweep.changes.values()];
  const projects = known.map((project) => planProject({ home: host.drwnHome, settings, project, remaining }));
  return { settings, projects, remaining };
}

/** A project whose folder was moved is known by its former path alone; whoever is in it has found it. */
function withFormerPlace(home: string, here: string | undefined, known: KnownProject[]): KnownProject[] {
  if (here === undefined || known.some(({ present }) => present.includes(here))) return known;
  const former = findFormerPlace(home, identifyProject(here));
  return known.map((one) =>
    one.key === former?.key ? { ...one, folders: [...one.folders, here], present: [...one.present, here] } : one,
  );
}

/** Collects the changes of settings files by path, and what of them must stay. */
class SettingsSweep {
  readonly changes = new Map<string, Change>();
  readonly remaining = new Map<string, Remaining>();
  private readonly host: Host;
  private readonly shared: boolean;
  private readonly known: readonly KnownProject[];
  private readonly files: ReturnType<typeof readWiring>["files"];

  constructor(host: Host, { shared }: UninstallRequest, known: readonly KnownProject[]) {
    this.host = host;
    this.shared = shared;
    this.known = known;
    this.files = this.attempt(layout.wiring(host.drwnHome), () => readWiring(host.drwnHome).files) ?? {};
  }

  /** Every settings file that drwn remembers, each on its own: one that cannot be read does not keep the others. */
  takeOutRemembered(): void {
    for (const [settingsFile, record] of Object.entries(this.files)) {
      const isOurs = (command: string) =>
        isHookCommand(command, this.host.drwnHome) || (this.shared && isSharedCommand(command));
      const root = this.rootOf(settingsFile);
      const planned = this.attempt(settingsFile, () => planTakeOut({ settingsFile, root, isOurs, record }));
      if (planned?.change !== undefined) this.add(planned.change);
    }
  }

  /** Whatever else the agents find in this project, and in the user's own settings. */
  takeOutOf(root: string): void {
    for (const target of TARGETS) {
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
          originOf: (file) => this.files[file],
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
  const hint = "mend or remove it; an entry of drwn has a command that begins with drwn_hook= or drwn_shared=";
  return { kind: "entry", path, why, hint };
}

function sharedEntry(path: string): Remaining {
  const why = "the project commits an entry for everybody, which blocks where drwn is not set up";
  return { kind: "shared", path, why, hint: "drwn uninstall --shared, or remove the entry that calls drwn" };
}

interface RemovalRequest {
  home: string;
  /** Made before. */
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
      const content = planContent({ root, cards: [], runtimes: [], written, planned: settings });
      for (const change of content.changes) changes.set(change.path, change);
      for (const path of content.kept) remaining.push({ kind: "file", path, why: CHANGED, hint: null });
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
