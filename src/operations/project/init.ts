import fs from "node:fs";
import { findAgents } from "../../agents/find-agents.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import type { AgentId } from "../../policy/event.ts";
import { EMPTY_CONFIG, refuseForeignConfig, writeConfig } from "../../project/config.ts";
import { findProjectRoot, projectFiles } from "../../project/identity.ts";
import { EMPTY_LOCK, readLock, writeLock } from "../../project/lock.ts";
import { NOT_AT_HOME } from "../../project/open/locate-project.ts";
import { findAgentSession } from "../../project/open/require-person.ts";
import { isSamePath } from "../../wiring/file-location.ts";

export interface InitResult {
  root: string;
  created: string[];
  /** The agents that were found on this machine: its policies will run in them. */
  runtimes: AgentId[];
}

/** Whether the folder itself is a drwn project, whatever is above it. */
export function isProjectFolder({ cwd, drwnHome }: Host): boolean {
  return !isSamePath(projectFiles.folder(cwd), drwnHome) && fs.existsSync(projectFiles.config(cwd));
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
export function initProject(host: Host): InitResult {
  const root = fs.realpathSync(host.cwd);
  const config = projectFiles.config(root);
  // One config.json would be both the project's and the one with this machine's registries.
  if (isSamePath(projectFiles.folder(root), host.drwnHome)) {
    throw new Problem("DRWN_HOME_UNSAFE", `${host.drwnHome} is drwn's own folder, and cannot be a project's, too`, {
      hint: NOT_AT_HOME,
    });
  }
  if (fs.existsSync(config)) {
    refuseForeignConfig(root);
    throw new Problem("DRWN_PROJECT_EXISTS", `${root} is a drwn project already`, { hint: "drwn install" });
  }
  // A lock without a config.json belongs to somebody: `install` brings it in step.
  const created = readLock(root) === undefined ? [config, projectFiles.lock(root)] : [config];
  if (created.length > 1) writeLock(root, EMPTY_LOCK);
  // Which agents there are is a fact about this machine, not about the project.
  writeConfig(root, EMPTY_CONFIG);
  return { root, created, runtimes: findAgents(host, { root, isGlobal: false }) };
}
