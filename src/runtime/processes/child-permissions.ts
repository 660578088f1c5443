import { readdirSync } from "node:fs";
import type { Capability } from "../../contract/plan.ts";
import { codeCacheLoaderOf } from "./code-cache-loader.ts";

/** Where the project of a call is, and which part of the disk is drwn's own. */
export interface ProjectPaths {
  home: string;
  /** The project's folder in the worktree of the session. */
  root: string;
  /** The git folder that its worktrees share, "" outside git. */
  common: string;
}

const MOST_PATHS = 2_000;

/**
 * The flags with which Node limits a policy's process to our program and exactly what was consented to. A policy may
 * write only files of the project, and also read those of its repository; drwn's own folder is never among them.
 * Undefined: this Node's flags cannot express it.
 */
export function permissionsFor(capabilities: readonly Capability[], ground: ProjectPaths): string[] | undefined {
  const [major = 0] = process.versions.node.split(".").map(Number);
  const flags = [major < 22 ? "--experimental-permission" : "--permission", "--no-warnings"];
  const mayRead = capabilities.includes("fs-read");
  const program = `${ground.home}/bin/hook.cjs`;
  const reads = [program, ...codeCacheLoaderOf(program)];
  if (mayRead) reads.push(...pathsOf(ground.root, ground.home));
  if (mayRead && ground.common !== "") reads.push(...pathsOf(ground.common, ground.home));
  const writes = capabilities.includes("fs-write") ? pathsOf(ground.root, ground.home) : [];
  const paths = [...new Set(reads), ...writes];
  // In these flags a comma separates paths, and a star matches anything.
  if (paths.length > MOST_PATHS || paths.some((path) => /[,*]/u.test(path))) return undefined;
  for (const path of new Set(reads)) flags.push(`--allow-fs-read=${path}`);
  for (const path of writes) flags.push(`--allow-fs-write=${path}`);
  if (capabilities.includes("exec")) flags.push("--allow-child-process");
  if (capabilities.includes("net") && major >= 25) flags.push("--allow-net");
  return flags;
}

/**
 * The folder and everything in it except the hole. In the folders on the way to the hole, what does not exist yet stays
 * closed, too.
 */
function pathsOf(folder: string, hole: string): string[] {
  const inside = folder === "/" ? "/" : `${folder}/`;
  if (hole === folder || folder.startsWith(`${hole}/`)) return [];
  if (!hole.startsWith(inside)) return [inside];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${inside}${entry.name}`;
    if (path === hole) return [];
    if (hole.startsWith(`${path}/`)) return pathsOf(path, hole);
    return entry.isDirectory() ? [`${path}/`] : [path];
  });
}
