import fs from "node:fs";
import { layout } from "../contract/layout.ts";
import type { Ledger, ProjectIdentity } from "../contract/ledger.ts";
import { listFolder, readIfThere } from "../kernel/files.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { readLedger } from "./ledger-file.ts";
import { inodeRecordOf } from "./project-key.ts";

/** The ledger of a folder that was somewhere else before. */
export interface FormerProject {
  key: string;
  ledger: Ledger;
}

/** Where a folder was before, and why nobody can tell what was consented to there. */
interface LostFormerProject {
  path: string;
  fault: Problem;
}

/**
 * The consents that were given in this very folder before it was moved: it has the same inode, and its former path
 * doesn't lead to another folder with that number. The launcher applies the same test. The system may give an inode to
 * another folder later, so a person decides; the number alone doesn't carry consents over.
 */
export function findFormerProject(home: string, identity: ProjectIdentity): FormerProject | undefined {
  const number = inodeNumberOf(identity);
  if (number === undefined) return undefined;
  for (const name of listFolder(layout.ledgers(home))) {
    const key = /^([0-9a-f]{64})\.json$/u.exec(name)?.[1];
    const ledger = key === undefined ? undefined : readIfSound(home, key);
    if (key === undefined || ledger === undefined) continue;
    const { project, grants } = ledger;
    if (project.path === identity.path || inodeNumberOf(project) !== number) continue;
    if (isStillThere(project.path, identity)) continue;
    if (grants.some(({ revokedAt }) => revokedAt === null)) return { key, ledger };
  }
  return undefined;
}

/**
 * Why nobody can tell what was consented to in this folder before it was moved: the launcher knows the folder by its
 * number and blocks every call, but the former ledger is damaged or gone, or its consents have ended. Undefined: the
 * launcher doesn't know the folder from another place.
 */
export function findLostFormerProject(
  home: string,
  identity: ProjectIdentity,
  key: string,
): LostFormerProject | undefined {
  const [former = "", was = ""] = readInodeRecord(inodeRecordOf(home, identity));
  if (was === "" || former === key || was === identity.path || isStillThere(was, identity)) return undefined;
  const ledger = layout.ledger(home, former);
  const fault = faultOf(home, former);
  const why =
    fault?.message ?? (fs.existsSync(ledger) ? "no consent from then is left" : "the record of your consents is gone");
  const hint = `${fault === undefined ? "" : `restore ${ledger}, or run: `}drwn trust --no-adopt`;
  return {
    path: was,
    fault: new Problem("DRWN_LEDGER_INVALID", `this folder was ${clean(was, 1000)}: ${why}`, { hint }),
  };
}

function readInodeRecord(record: string | null): string[] {
  try {
    return record === null ? [] : (readIfThere(record)?.toString() ?? "").split("\n");
  } catch (error) {
    // The launcher reports what is wrong with it.
    if (isProblem(error)) return [];
    throw error;
  }
}

function faultOf(home: string, key: string): Problem | undefined {
  try {
    readLedger(home, key);
    return undefined;
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
}

/** The folder's number on its disk; the device's number may change with a restart. */
function inodeNumberOf({ inode }: ProjectIdentity): string | undefined {
  return inode?.split(":")[1];
}

/** Whether another folder at the former path has the same number, since it is on another disk. */
function isStillThere(former: string, identity: ProjectIdentity): boolean {
  const stat = fs.lstatSync(former, { bigint: true, throwIfNoEntry: false });
  return String(stat?.ino) === inodeNumberOf(identity) && fs.realpathSync(former) !== identity.path;
}

/** Whether the folder at the project's path is the one in which its consents were given; true if nobody can tell. */
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
