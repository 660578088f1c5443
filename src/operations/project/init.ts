import fs from "node:fs";
import { allTargets } from "../../agents/targets.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Runtime } from "../../policy/event.ts";
import { DEFAULT_RUNTIMES, EMPTY_CONFIG, refuseNamesake, writeConfig } from "../../project/config.ts";
import { projectFiles } from "../../project/files.ts";
import { findProjectRoot } from "../../project/identity.ts";
import { EMPTY_LOCK, readLock, writeLock } from "../../project/lock.ts";
import { isSamePlace } from "../../wiring/place.ts";
import type { Target } from "../../wiring/target.ts";
import { findAgentSession } from "../../workspace/require-person.ts";

export interface Initialized {
  root: string;
  created: string[];
  /** The agents in which its policies will run. */
  runtimes: Runtime[];
  /** Those of them that have left signs in this folder or on this machine. */
  found: Runtime[];
}

/** Whether the folder itself is a drwn project, whatever is above it. */
export function isProjectFolder({ cwd }: Host): boolean {
  return fs.existsSync(projectFiles.config(cwd));
}

/** Whether the folder is in a drwn project. */
export function isInProject({ cwd }: Host): boolean {
  return findProjectRoot(cwd) !== undefined;
}

/** Whether a person at a terminal can decide: an agent's tool call can have a terminal, too. */
export function mayAskPerson(host: Host): boolean {
  return host.isAtTerminal === true && findAgentSession(host) === undefined;
}

/** Makes the current folder a drwn project. */
export function initProject(host: Host): Initialized {
  const root = fs.realpathSync(host.cwd);
  const config = projectFiles.config(root);
  // One config.json would be both the project's and the one with this machine's registries.
  if (isSamePlace(projectFiles.folder(root), host.drwnHome)) {
    throw new Problem("DRWN_HOME_UNSAFE", `${host.drwnHome} is drwn's own folder, and cannot be a project's, too`, {
      hint: "run `drwn init` in the folder of a project",
    });
  }
  if (fs.existsSync(config)) {
    refuseNamesake(root);
    throw new Problem("DRWN_PROJECT_EXISTS", `${root} is a drwn project already`, { hint: "drwn install" });
  }
  // A lock without a config.json belongs to somebody: `install` brings it in step.
  const created = readLock(root) === undefined ? [config, projectFiles.lock(root)] : [config];
  if (created.length > 1) writeLock(root, EMPTY_LOCK);
  const used = findAgentsInUse(host, root, { isGlobal: false });
  // Agents that nobody uses yet are not written down: the first `write --runtime` says which ones are meant.
  writeConfig(root, used.length > 0 ? { ...EMPTY_CONFIG, runtimes: used } : EMPTY_CONFIG);
  return { root, created, runtimes: used.length > 0 ? used : [...DEFAULT_RUNTIMES], found: used };
}

/** The agents that have left signs on this machine or in the folder. */
export function findAgentsInUse(host: Host, root: string, { isGlobal }: { isGlobal: boolean }): Runtime[] {
  // Nobody knows which agents a machine's users start.
  const isMeant = (target: Target) =>
    host.scope === "system"
      ? target.planSystem !== undefined
      : !(isGlobal && target.isOfProjects) && target.isInUse({ host, root });
  const used = allTargets().filter(isMeant);
  return used.map(({ runtime }) => runtime);
}
