import { layout } from "../contract/layout.ts";
import type { Ledger, ProjectIdentity } from "../contract/ledger.ts";
import type { Host } from "../kernel/host.ts";
import { withFreeLock } from "../kernel/mutex.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { finishIntent, hasIntent } from "../project/commit.ts";
import { EMPTY_CONFIG, type ProjectConfig, readConfig, readConfigIfThere } from "../project/config.ts";
import { projectFiles } from "../project/files.ts";
import { findMismatches } from "../project/in-step.ts";
import { EMPTY_LOCK, type Lock, type LockedCard, readLock } from "../project/lock.ts";
import { requireInPlace } from "../project/require-in-place.ts";
import { findFormerPlace, findLostPlace } from "../trust/former-place.ts";
import { readLedger } from "../trust/ledger-file.ts";
import { isMarked } from "../trust/project-key.ts";
import { locateProject } from "./locate-project.ts";
import { requireOwnHome } from "./require-own-home.ts";

/** A project with everything that the repository and this machine know of it. */
export interface OpenProject {
  root: string;
  /** It is what this user has for every folder. */
  isGlobal: boolean;
  identity: ProjectIdentity;
  /** Names its ledger and its state below DRWN_HOME. */
  key: string;
  config: ProjectConfig;
  lock: Lock;
  ledger: Ledger | undefined;
  /** Something was consented to here, and the ledger is gone. */
  isLedgerLost: boolean;
  /** Why the ledger counts as lost: it can't be read, or nor can the one of the folder's former place. Null: it is there, or was never. */
  ledgerFault: Problem | null;
  /** Where this folder was when consents were given in it; null: here, or without consents. */
  formerPath: string | null;
}

/** What a killed command had begun to commit is finished first, unless somebody is at work in the project. */
export function openProject(host: Host): OpenProject {
  return openWith(host, (home, key) => ({ ledger: readLedger(home, key), ledgerFault: null }));
}

/** The same, for a caller that changes nothing: of a damaged ledger it is to say what comes of that. */
export function lookAtProject(host: Host): OpenProject {
  return openWith(host, (home, key) => {
    try {
      return { ledger: readLedger(home, key), ledgerFault: null };
    } catch (error) {
      if (!isProblem(error) || error.code !== "DRWN_LEDGER_INVALID") throw error;
      return { ledger: undefined, ledgerFault: error };
    }
  });
}

type ReadLedger = (home: string, key: string) => Pick<OpenProject, "ledger" | "ledgerFault">;

function openWith(host: Host, read: ReadLedger): OpenProject {
  const { root, identity, key, isGlobal } = locateProject(host);
  requireOwnHome(host, identity);
  requireInPlace(root);
  const intent = layout.intent(host.drwnHome, key);
  if (hasIntent(intent) && mayFinish(host)) withFreeLock(layout.lock(host.drwnHome, key), () => finishIntent(intent));
  const { drwnHome: home } = host;
  const { ledger, ledgerFault: ownFault } = read(home, key);
  const isOwnLost = ledger === undefined && (ownFault !== null || isMarked(home, identity));
  const mayBeMoved = ledger === undefined && !isOwnLost && !isGlobal;
  const former = mayBeMoved ? findFormerPlace(home, identity) : undefined;
  const lost = mayBeMoved && former === undefined ? findLostPlace(home, identity, key) : undefined;
  return {
    root,
    identity,
    key,
    isGlobal,
    // Nothing has to be made before a first card is added for every folder.
    config: isGlobal ? (readConfigIfThere(root) ?? EMPTY_CONFIG) : readConfig(root),
    lock: readLock(root) ?? EMPTY_LOCK,
    ledger,
    isLedgerLost: isOwnLost || lost !== undefined,
    ledgerFault: ownFault ?? lost?.fault ?? null,
    formerPath: former?.ledger.project.path ?? lost?.path ?? null,
  };
}

/** Whoever looks at what root wants for every user changes nothing of it. */
function mayFinish({ scope, image }: Host): boolean {
  return scope !== "system" || image !== undefined || process.getuid?.() === 0;
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
  const details = findMismatches(project.config, project.lock);
  if (details.length === 0) return;
  throw new Problem("DRWN_LOCK_OUTDATED", `${projectFiles.lock(project.root)} does not belong to config.json`, {
    details,
    hint: "drwn install",
  });
}
