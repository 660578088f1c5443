import { layout } from "../contract/layout.ts";
import { formatJson } from "../format/write.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { findProjectRoot, identifyProject } from "../project/identity.ts";
import { findFormerProject } from "../trust/former-project.ts";
import { type Change, planFile } from "../wiring/changes.ts";
import { type KnownProject, listKnownProjects } from "../workspace/known-projects.ts";
import { planContent } from "./content.ts";
import { type Remaining, SettingsSweep } from "./settings-sweep.ts";

/** What has to change in one project; its record goes last. */
export interface ProjectRemoval {
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
