import fs from "node:fs";
import { packSigned } from "../../card/source/sign-packed.ts";
import { writeAtomic } from "../../kernel/atomic.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem } from "../../kernel/problem.ts";
import type { LockedCard } from "../../project/lock.ts";
import { listVendored, readVendored, vendoredFile } from "../../project/vendor.ts";
import { CATALOGUE_REGISTRY } from "../../registry/catalogue.ts";
import { unpack } from "../../registry/tarball-origin.ts";
import { checkLockedPublisher } from "../../supply/publishers.ts";
import { restoreCard } from "../../supply/restore-card.ts";
import { readInstalled } from "../../workspace/installed-card.ts";
import { requireLockInStep } from "../../workspace/open-project.ts";
import { withProject } from "../../workspace/with-project.ts";

export interface VendorResult {
  /** Absolute. */
  written: string[];
  removed: string[];
  /** How many files were already right. */
  kept: number;
  dryRun: boolean;
}

/**
 * Puts the tarball of every locked card into the project, to be committed, so that `install` needs neither a registry
 * nor a network. It makes them from the verified store, and removes other files in the vendor folder.
 */
export async function vendorCards(host: Host, { dryRun }: { dryRun: boolean }): Promise<VendorResult> {
  return withProject(host, async (project) => {
    requireLockInStep(project);
    const { root } = project;
    const written: string[] = [];
    const wanted = new Set<string>();
    for (const locked of project.lock.cards) {
      // Every machine takes drwn's own cards from its drwn, and from nowhere else.
      if (locked.source === CATALOGUE_REGISTRY) continue;
      const file = vendoredFile(root, locked);
      wanted.add(file);
      if (await isVendored(root, locked)) continue;
      written.push(file);
      if (dryRun) continue;
      host.progress(`vendoring ${locked.name}@${locked.version}`);
      await restoreCard({ host, base: root }, locked);
      const { files } = readInstalled(host.drwnHome, locked);
      writeAtomic(file, await packSigned(files, checkLockedPublisher(host, locked)), 0o644);
    }
    const removed = listVendored(root).filter((file) => !wanted.has(file));
    if (!dryRun) for (const file of removed) fs.rmSync(file);
    return { written, removed, kept: wanted.size - written.length, dryRun };
  });
}

async function isVendored(root: string, locked: LockedCard): Promise<boolean> {
  try {
    const tarball = readVendored(root, locked);
    if (tarball === undefined) return false;
    const { tree, publisher } = await unpack(tarball);
    return tree === locked.tree && publisher === locked.publisher;
  } catch (error) {
    if (isProblem(error)) return false;
    throw error;
  }
}
