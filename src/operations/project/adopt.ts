import fs from "node:fs";
import path from "node:path";
import { layout } from "../../contract/layout.ts";
import type { Ledger, ProjectIdentity } from "../../contract/ledger.ts";
import { digestOf } from "../../kernel/digest.ts";
import { readIfThere } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { Problem } from "../../kernel/problem.ts";
import { findProjectRoot, identifyProject } from "../../project/identity.ts";
import { openProject, withProject } from "../../project/open/open-project.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import { keepBundles } from "../../trust/approval.ts";
import { type FormerProject, findFormerProject } from "../../trust/former-project.ts";
import { writeLedger } from "../../trust/ledger-file.ts";
import { inodeRecordOf, markersOf, writeMarkers } from "../../trust/project-key.ts";

/** What a person decides about a folder that was moved. */
export interface Adoption {
  from: string;
  /** The cards whose consents would be taken over, with the version that was approved last. */
  cards: { card: string; version: string | null; range: string }[];
}

/** Undefined: as far as this machine knows, the folder was not another project before. */
export function reviewAdoption(host: Host): Adoption | undefined {
  if (findProjectRoot(host.cwd) === undefined) return undefined;
  const { identity, ledger } = openProject(host);
  const former = ledger === undefined ? findFormerProject(host.drwnHome, identity) : undefined;
  return former === undefined ? undefined : describe(former);
}

/**
 * Takes over the consents of the folder's former place, or forgets that it was there: either way drwn doesn't ask
 * again.
 */
export async function adoptFormerProject(host: Host, answer: "take" | "forget"): Promise<Adoption> {
  requirePerson(host, "take over the consents of a moved project", "drwn trust --adopt");
  const { drwnHome: home } = host;
  if (answer === "forget" && findProjectRoot(host.cwd) === undefined) return forgetInodeRecord(host);
  return withProject(host, ({ identity, key, ledger, ledgerFault }) => {
    const former = ledger === undefined ? findFormerProject(home, identity) : undefined;
    if (former === undefined) {
      if (ledgerFault !== null && answer === "take") throw ledgerFault;
      dropPlace(home, identity, key);
      if (ledgerFault !== null) return { from: identity.path, cards: [] };
      throw new Problem("DRWN_NOTHING_TO_ADOPT", `${identity.path} was not another project before`, {
        hint: "drwn status",
      });
    }
    return withLock(layout.lock(home, former.key), () => {
      if (answer === "take") {
        keepBundles(home, key, bundlesOf(home, former));
        // The plan is at the former place. Until `write` makes one here, every call is blocked, so none runs unguarded.
        writeLedger(home, key, { ...former.ledger, project: identity, pausedUntil: null });
        writeMarkers(home, identity, key);
        for (const marker of markersOf(home, former.ledger.project)) fs.rmSync(marker, { force: true });
      } else {
        dropPlace(home, identity, key);
      }
      writeLedger(home, former.key, leftBehind(former.ledger, answer === "take" ? host.now() : null));
      return describe(former);
    });
  });
}

/**
 * For a folder that isn't a project but has the inode number of a former one: the launcher blocks there, and nothing
 * else could end that.
 */
function forgetInodeRecord({ drwnHome: home, cwd }: Host): Adoption {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const place = inodeRecordOf(home, identifyProject(folder));
    if (place !== null && readIfThere(place) !== undefined) {
      fs.rmSync(place, { force: true });
      return { from: folder, cards: [] };
    }
    if (folder === path.dirname(folder)) break;
  }
  throw new Problem("DRWN_NOTHING_TO_ADOPT", `${cwd} was not another project before`, { hint: "drwn status" });
}

/** The launcher blocks in a folder that it knows by its inode, if nobody has consented to anything at its path. */
function dropPlace(home: string, identity: ProjectIdentity, key: string): void {
  const place = inodeRecordOf(home, identity);
  if (place !== null && readIfThere(place)?.toString().startsWith(key) === false) fs.rmSync(place, { force: true });
}

/** No folder has this inode: a later folder at the former path is not the project that was there. */
const NO_FOLDER = "0:0";

/** What stays of the former place; consents that were taken over end there. */
function leftBehind(ledger: Ledger, endedAt: Date | null): Ledger {
  const project = { ...ledger.project, inode: NO_FOLDER };
  if (endedAt === null) return { ...ledger, project };
  const grants = ledger.grants.map((grant) => ({ ...grant, revokedAt: grant.revokedAt ?? endedAt.toISOString() }));
  return { ...ledger, project, grants };
}

/** The approved compiled policies that are unaltered. */
function bundlesOf(home: string, { key, ledger }: FormerProject): Map<string, string> {
  const digests = ledger.grants.flatMap(({ approved }) => approved.flatMap(({ bundles }) => Object.values(bundles)));
  return new Map(
    digests.flatMap((digest) => {
      const bytes = readIfThere(layout.bundle(home, key, digest));
      return bytes !== undefined && digestOf(bytes) === digest ? [[digest, bytes.toString()] as const] : [];
    }),
  );
}

function describe({ ledger: { project, grants } }: FormerProject): Adoption {
  const cards = grants
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ card, range, approved }) => ({ card, range, version: approved.at(-1)?.cardVersion ?? null }));
  return { from: project.path, cards };
}
