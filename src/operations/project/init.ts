import fs from "node:fs";
import { allTargets } from "../../agents/targets.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Runtime } from "../../policy/event.ts";
import { DEFAULT_RUNTIMES, EMPTY_CONFIG, writeConfig } from "../../project/config.ts";
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
  /** Those of them of which there is a sign here or on this machine. */
  found: Runtime[];
}

/** Whether the folder itself is a drwn project, whatever is above it. */
export function isProjectFolder({ cwd }: Host): boolean {
  return fs.existsSync(projectFiles.config(cwd));
}

/** Whether the folder lies in a drwn project. */
export function isInProject({ cwd }: Host): boolean {
  return findProjectRoot(cwd) !== undefined;
}

/** Whether a person sits there who may decide: an agent's tool call can have a terminal, too. */
export function mayAskPerson(host: Host): boolean {
  return host.isAtTerminal === true && findAgentSession(host) === undefined;
}

/** Makes the current folder a drwn project. */
export function initProject(host: Host): Initialized {
  const root = fs.realpathSync(host.cwd);
  const config = projectFiles.config(root);
  // One config.json would be the project's and the one with the machine's registries.
  if (isSamePlace(projectFiles.folder(root), host.drwnHome)) {
    throw new Problem("DRWN_HOME_UNSAFE", `${host.drwnHome} is drwn's own folder, and cannot be a project's, too`, {
      hint: "run `drwn init` in the folder of a project",
    });
  }
  if (fs.existsSync(config)) {
    throw new Problem("DRWN_PROJECT_EXISTS", `${root} is a drwn project already`, { hint: "drwn install" });
  }
  // A lock without a config.json is somebody's: `install` brings it in step.
  const created = readLock(root) === undefined ? [config, projectFiles.lock(root)] : [config];
  if (created.length > 1) writeLock(root, EMPTY_LOCK);
  const used = findAgentsInUse(host, root, { isGlobal: false });
  // What nobody uses yet is not written down: the first `write --runtime` says which agents are meant.
  writeConfig(root, used.length > 0 ? { ...EMPTY_CONFIG, runtimes: used } : EMPTY_CONFIG);
  return { root, created, runtimes: used.length > 0 ? used : [...DEFAULT_RUNTIMES], found: used };
}

/** The agents of which this machine or the folder has signs. */
export function findAgentsInUse(host: Host, root: string, { isGlobal }: { isGlobal: boolean }): Runtime[] {
  // Nobody knows which of them the users of a machine start.
  const isMeant = (target: Target) =>
    host.scope === "system"
      ? target.planSystem !== undefined
      : !(isGlobal && target.isOfProjects) && target.isInUse({ host, root });
  const used = allTargets().filter(isMeant);
  return used.map(({ runtime }) => runtime);
}
