import fs from "node:fs";
import { layout } from "../../contract/layout.ts";
import type { Ledger, ProjectIdentity } from "../../contract/ledger.ts";
import { drwn } from "../../kernel/advice.ts";
import { listFolder } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { withFreeLock, withLock } from "../../kernel/mutex.ts";
import { isProblem, Problem, type ProblemCode } from "../../kernel/problem.ts";
import { findFormerProject, findLostFormerProject } from "../../trust/former-project.ts";
import { readLedger } from "../../trust/ledger-file.ts";
import { isMarked } from "../../trust/project-key.ts";
import { commitFiles, type FileEdit, finishIntent, hasIntent } from "../commit.ts";
import { EMPTY_CONFIG, type ProjectConfig, readConfigIfThere } from "../config.ts";
import { projectFiles, requireInPlace } from "../identity.ts";
import { EMPTY_LOCK, findMismatches, type Lock, type LockedCard, readLock } from "../lock.ts";
import { requireOwnHome } from "./check-home.ts";
import { locateProject } from "./locate-project.ts";

/** A project with everything that the repository and this machine know about it. */
export interface OpenProject {
  root: string;
  /** True: it is what holds in every folder. */
  isGlobal: boolean;
  identity: ProjectIdentity;
  /** Names its ledger and its state below DRWN_HOME. */
  key: string;
  config: ProjectConfig;
  lock: Lock;
  ledger: Ledger | undefined;
  /** Somebody consented to something here, but the ledger is gone. */
  isLedgerLost: boolean;
  /** Why the ledger, or that of the former place, counts as lost. Null: it is there, simply gone, or never was. */
  ledgerFault: Problem | null;
  /** Where this folder was when consents were given in it; null: here, or there are none. */
  formerPath: string | null;
}

/** Opens the project, after finishing what a killed command had begun to commit, unless another one is at work. */
export function openProject(host: Host): OpenProject {
  return openWith(host, (home, key) => ({ ledger: readLedger(home, key), ledgerFault: null }));
}

/**
 * The same, for a caller that changes nothing: it doesn't throw for a damaged ledger, so that the caller can report it.
 */
export function lookAtProject(host: Host): OpenProject {
  return openWith(host, without(["DRWN_LEDGER_INVALID", "DRWN_LEDGER_UNSAFE"]));
}

/** The same, for a caller that replaces a damaged ledger by what a person decides anew. */
export function openToDecide(host: Host): OpenProject {
  return openWith(host, without(["DRWN_LEDGER_INVALID"]));
}

/** A ledger with one of these faults counts as lost. */
function without(faults: readonly ProblemCode[]): ReadLedger {
  return (home, key) => {
    try {
      return { ledger: readLedger(home, key), ledgerFault: null };
    } catch (error) {
      if (!isProblem(error) || !faults.includes(error.code)) throw error;
      return { ledger: undefined, ledgerFault: error };
    }
  };
}

type ReadLedger = (home: string, key: string) => Pick<OpenProject, "ledger" | "ledgerFault">;

function openWith(host: Host, read: ReadLedger): OpenProject {
  const { root, identity, key, isGlobal } = locateProject(host);
  requireOwnHome(host, identity);
  const intent = layout.intent(host.drwnHome, key);
  if (hasIntent(intent) && mayFinish(host)) withFreeLock(layout.lock(host.drwnHome, key), () => finishIntent(intent));
  const { drwnHome: home } = host;
  const { ledger, ledgerFault: ownFault } = read(home, key);
  const files = folderOfFiles(root, ledger);
  requireInPlace(files);
  const isOwnLost = ledger === undefined && (ownFault !== null || isMarked(home, identity) || wasWritten(home, key));
  const mayBeMoved = ledger === undefined && !isOwnLost && !isGlobal;
  const former = mayBeMoved ? findFormerProject(home, identity) : undefined;
  const lost = mayBeMoved && former === undefined ? findLostFormerProject(home, identity, key) : undefined;
  return {
    root,
    identity,
    key,
    isGlobal,
    // For every folder, a person can add a first card without making anything before.
    config: readConfigIfThere(files) ?? EMPTY_CONFIG,
    lock: readLock(files) ?? EMPTY_LOCK,
    ledger,
    isLedgerLost: isOwnLost || lost !== undefined,
    ledgerFault: ownFault ?? lost?.fault ?? null,
    formerPath: former?.ledger.project.path ?? lost?.path ?? null,
  };
}

/** Whether there was a consent that `write` made a plan of: without a ledger, somebody took that away. */
function wasWritten(home: string, key: string): boolean {
  return listFolder(layout.project(home, key)).some((name) => name.startsWith("plan-"));
}

/** A worktree without the project's files asks for what the folder asks for in which somebody consented. */
function folderOfFiles(root: string, ledger: Ledger | undefined): string {
  const hasFiles = (folder: string) => fs.existsSync(projectFiles.config(folder));
  const consented = ledger?.project.path;
  return consented !== undefined && !hasFiles(root) && hasFiles(consented) ? consented : root;
}

/** A user who looks at what root wants for every user must not change it. */
function mayFinish({ scope }: Host): boolean {
  return scope !== "system" || process.getuid?.() === 0;
}

export function requireLockedCard(project: OpenProject, name: string, hint = drwn("add", name)): LockedCard {
  const locked = project.lock.cards.find((card) => card.name === name);
  if (locked !== undefined) return locked;
  const installed = project.lock.cards.map((card) => card.name);
  throw new Problem("DRWN_CARD_NOT_INSTALLED", `${name} is not installed in ${project.root}`, {
    details: installed.length > 0 ? [`installed: ${installed.join(", ")}`] : [],
    hint,
  });
}

/** Refuses a lock that doesn't match config.json: `write` would not write what the project asks for. */
export function requireLockInStep(project: OpenProject): void {
  const details = findMismatches(project.config, project.lock);
  if (details.length === 0) return;
  throw new Problem("DRWN_LOCK_OUTDATED", `${projectFiles.lock(project.root)} does not belong to config.json`, {
    details,
    hint: drwn("install"),
  });
}

/** Runs `work` on the project while no other drwn process changes it or its ledger. */
export async function withProject<T>(
  host: Host,
  work: (project: OpenProject) => T | Promise<T>,
  open: (host: Host) => OpenProject = openProject,
): Promise<T> {
  for (;;) {
    // This doesn't read anything that another process may be writing.
    const { key } = locateProject(host);
    const done = await withLock(layout.lock(host.drwnHome, key), async () => {
      finishIntent(layout.intent(host.drwnHome, key));
      const project = open(host);
      // A first consent in another worktree of the repository gives this one the same key.
      return project.key === key ? { result: await work(project) } : undefined;
    });
    if (done !== undefined) return done.result;
  }
}

/** Makes all the edits or none. Call it inside `withProject`. */
export function commitProject({ drwnHome }: Host, { key }: OpenProject, edits: readonly FileEdit[]): void {
  commitFiles(layout.intent(drwnHome, key), edits);
}
