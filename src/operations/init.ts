import fs from "node:fs";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { EMPTY_CONFIG, writeConfig } from "../project/config.ts";
import { projectFiles } from "../project/files.ts";
import { EMPTY_LOCK, readLock, writeLock } from "../project/lock.ts";

/** Makes the current folder a drwn project. */
export function initProject(host: Host): { root: string; created: string[] } {
  const root = fs.realpathSync(host.cwd);
  const config = projectFiles.config(root);
  if (fs.existsSync(config)) {
    throw new Problem("DRWN_PROJECT_EXISTS", `${root} is a drwn project already`, { hint: "drwn status" });
  }
  // A lock without a config.json is somebody's: `install` brings it in step.
  const created = readLock(root) === undefined ? [config, projectFiles.lock(root)] : [config];
  if (created.length > 1) writeLock(root, EMPTY_LOCK);
  writeConfig(root, EMPTY_CONFIG);
  return { root, created };
}
