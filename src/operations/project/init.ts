import fs from "node:fs";
import { TARGETS } from "../../agents/targets.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Runtime } from "../../policy/event.ts";
import { DEFAULT_RUNTIMES, EMPTY_CONFIG, writeConfig } from "../../project/config.ts";
import { projectFiles } from "../../project/files.ts";
import { EMPTY_LOCK, readLock, writeLock } from "../../project/lock.ts";
import { isSamePlace } from "../../wiring/place.ts";

/** Makes the current folder a drwn project. */
export function initProject(host: Host): { root: string; created: string[]; runtimes: Runtime[] } {
  const root = fs.realpathSync(host.cwd);
  const config = projectFiles.config(root);
  // One config.json would be the project's and the one with the machine's registries.
  if (isSamePlace(projectFiles.folder(root), host.drwnHome)) {
    throw new Problem("DRWN_HOME_UNSAFE", `${host.drwnHome} is drwn's own folder, and cannot be a project's, too`, {
      hint: "run `drwn init` in the folder of a project",
    });
  }
  if (fs.existsSync(config)) {
    throw new Problem("DRWN_PROJECT_EXISTS", `${root} is a drwn project already`, { hint: "drwn status" });
  }
  // A lock without a config.json is somebody's: `install` brings it in step.
  const created = readLock(root) === undefined ? [config, projectFiles.lock(root)] : [config];
  if (created.length > 1) writeLock(root, EMPTY_LOCK);
  const used = TARGETS.filter((target) => target.isInUse({ host, root })).map(({ runtime }) => runtime);
  // What nobody uses yet is not written down: the first `write --runtime` says which agents are meant.
  writeConfig(root, used.length > 0 ? { ...EMPTY_CONFIG, runtimes: used } : EMPTY_CONFIG);
  return { root, created, runtimes: used.length > 0 ? used : [...DEFAULT_RUNTIMES] };
}
