import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import type { Ledger, ProjectIdentity } from "../contract/ledger.ts";
import { listFolder } from "../kernel/atomic.ts";
import { isProblem } from "../kernel/problem.ts";
import { readLedger } from "./ledger-file.ts";

/** The ledger of a folder that lies somewhere else now. */
export interface FormerPlace {
  key: string;
  ledger: Ledger;
}

/**
 * The consents that were given in this very folder before it was moved: the same inode, the same place in a repository, and
 * nothing left at the former path. An inode can be given to another folder later, so a person is asked; nothing is taken
 * over for it alone.
 */
export function findFormerPlace(home: string, identity: ProjectIdentity): FormerPlace | undefined {
  for (const name of listFolder(layout.ledgers(home))) {
    const key = /^([0-9a-f]{64})\.json$/u.exec(name)?.[1];
    const ledger = key === undefined ? undefined : readIfSound(home, key);
    if (key === undefined || ledger === undefined) continue;
    const { project, grants } = ledger;
    const isHere = project.inode !== null && project.inode === identity.inode && project.path !== identity.path;
    if (!isHere || !isSamePlaceInGit(project, identity) || fs.existsSync(project.path)) continue;
    if (grants.some(({ revokedAt }) => revokedAt === null)) return { key, ledger };
  }
  return undefined;
}

/** Whether the folder at the project's path is the one in which its consents were given; true where nobody can tell. */
export function isSameFolder({ path: recorded, inode }: ProjectIdentity): boolean {
  const stat = inode === null ? undefined : fs.statSync(recorded, { bigint: true, throwIfNoEntry: false });
  // The number of a device may be another one after a restart.
  return stat === undefined || inode?.split(":")[1] === String(stat.ino);
}

function readIfSound(home: string, key: string): Ledger | undefined {
  try {
    return readLedger(home, key);
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}

/** A repository that is moved takes its git folder along. */
function isSamePlaceInGit(one: ProjectIdentity, other: ProjectIdentity): boolean {
  return one.gitPath === other.gitPath && gitFolderFrom(one) === gitFolderFrom(other);
}

function gitFolderFrom({ path: own, gitCommonDir }: ProjectIdentity): string | null {
  return gitCommonDir === null ? null : path.relative(own, gitCommonDir);
}
