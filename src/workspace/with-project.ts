import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { commitFiles, type FileEdit, finishIntent } from "../project/commit.ts";
import { locateProject } from "./locate-project.ts";
import { type OpenProject, openProject } from "./open-project.ts";

/** Runs `work` on the project while no other drwn process changes it or its ledger. */
export async function withProject<T>(host: Host, work: (project: OpenProject) => T | Promise<T>): Promise<T> {
  for (;;) {
    // This doesn't read anything that another process may be writing.
    const { key } = locateProject(host);
    const done = await withLock(layout.lock(host.drwnHome, key), async () => {
      finishIntent(layout.intent(host.drwnHome, key));
      const project = openProject(host);
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
