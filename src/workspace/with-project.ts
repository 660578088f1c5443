import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { commitFiles, type FileEdit, finishIntent } from "../project/commit.ts";
import { identifyProject, requireProjectRoot } from "../project/identity.ts";
import { findProjectKey } from "../trust/project-key.ts";
import { type OpenProject, openProject } from "./open-project.ts";

/** Runs `work` on the project while no other drwn process changes it or its ledger. */
export async function withProject<T>(host: Host, work: (project: OpenProject) => T | Promise<T>): Promise<T> {
  for (;;) {
    const key = findKey(host);
    const done = await withLock(layout.lock(host.drwnHome, key), async () => {
      finishIntent(layout.intent(host.drwnHome, key));
      const project = openProject(host);
      // A first consent in another worktree of the repository gives this one the same key.
      return project.key === key ? { result: await work(project) } : undefined;
    });
    if (done !== undefined) return done.result;
  }
}

/** Without reading what another process may be writing. */
function findKey(host: Host): string {
  return findProjectKey(host.drwnHome, identifyProject(requireProjectRoot(host.cwd)));
}

/** Makes all the edits, or none. Inside `withProject`. */
export function commitProject({ drwnHome }: Host, { key }: OpenProject, edits: readonly FileEdit[]): void {
  commitFiles(layout.intent(drwnHome, key), edits);
}
