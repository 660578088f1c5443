import fs from "node:fs";
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
 * The consents that were given in this very folder before it was moved: it has the same inode, and its former path does not lead to
 * another folder with that number. The launcher goes by the same. An inode can be given to another folder later, so a person is
 * asked; nothing is taken over for it alone.
 */
export function findFormerPlace(home: string, identity: ProjectIdentity): FormerPlace | undefined {
  const number = numberOf(identity);
  if (number === undefined) return undefined;
  for (const name of listFolder(layout.ledgers(home))) {
    const key = /^([0-9a-f]{64})\.json$/u.exec(name)?.[1];
    const ledger = key === undefined ? undefined : readIfSound(home, key);
    if (key === undefined || ledger === undefined) continue;
    const { project, grants } = ledger;
    if (project.path === identity.path || numberOf(project) !== number) continue;
    if (isStillThere(project.path, identity)) continue;
    if (grants.some(({ revokedAt }) => revokedAt === null)) return { key, ledger };
  }
  return undefined;
}

/** Of the folder on its disk; the number of a device may be another one after a restart. */
function numberOf({ inode }: ProjectIdentity): string | undefined {
  return inode?.split(":")[1];
}

/** Another folder at the former path that has the same number: it lies on another disk. */
function isStillThere(former: string, identity: ProjectIdentity): boolean {
  const stat = fs.lstatSync(former, { bigint: true, throwIfNoEntry: false });
  return String(stat?.ino) === numberOf(identity) && fs.realpathSync(former) !== identity.path;
}

/** Whether the folder at the project's path is the one in which its consents were given; true where nobody can tell. */
export function isSameFolder({ path: recorded, inode }: ProjectIdentity): boolean {
  const stat = inode === null ? undefined : fs.statSync(recorded, { bigint: true, throwIfNoEntry: false });
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
