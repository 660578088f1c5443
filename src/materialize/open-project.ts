import type { Ledger, ProjectIdentity } from "../contract/ledger.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { type ProjectConfig, readConfig } from "../project/config.ts";
import { projectFiles } from "../project/files.ts";
import { identifyProject, requireProjectRoot } from "../project/identity.ts";
import { EMPTY_LOCK, type Lock, type LockedCard, readLock } from "../project/lock.ts";
import { readLedger } from "../trust/ledger-file.ts";
import { findProjectKey } from "../trust/project-key.ts";

/** A project with everything that the repository and this machine know of it. */
export interface OpenProject {
  root: string;
  identity: ProjectIdentity;
  /** Names its ledger and its state below DRWN_HOME. */
  key: string;
  config: ProjectConfig;
  lock: Lock;
  ledger: Ledger | undefined;
}

export function openProject(host: Host): OpenProject {
  const root = requireProjectRoot(host.cwd);
  const identity = identifyProject(root);
  const key = findProjectKey(host.drwnHome, identity);
  return {
    root,
    identity,
    key,
    config: readConfig(root),
    lock: readLock(root) ?? EMPTY_LOCK,
    ledger: readLedger(host.drwnHome, key),
  };
}

export function requireLockedCard(project: OpenProject, name: string): LockedCard {
  const locked = project.lock.cards.find((card) => card.name === name);
  if (locked !== undefined) return locked;
  const installed = project.lock.cards.map((card) => card.name);
  throw new Problem("DRWN_CARD_NOT_INSTALLED", `${name} is not installed in ${project.root}`, {
    details: installed.length > 0 ? [`installed: ${installed.join(", ")}`] : [],
    hint: `drwn add ${name}`,
  });
}

/** Refuses a lock that does not answer config.json: what would be written is not what the project asks for. */
export function requireLockInStep(project: OpenProject): void {
  const locked = new Map(project.lock.cards.map((card) => [card.name, card.range]));
  const asked = Object.entries(project.config.cards);
  const inStep = asked.length === locked.size && asked.every(([name, range]) => locked.get(name) === range);
  if (inStep) return;
  throw new Problem("DRWN_LOCK_OUTDATED", `${projectFiles.lock(project.root)} does not belong to config.json`, {
    details: [`config.json: ${list(asked.map(([name]) => name))}`, `card.lock: ${list([...locked.keys()])}`],
    hint: "drwn install",
  });
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "no cards" : names.join(", ");
}
