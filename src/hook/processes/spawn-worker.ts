import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { codeCacheOf, LOADER } from "../../contract/code-cache.ts";
import type { Capability } from "../../contract/plan.ts";
import { openCappedStderr } from "../../hook-base/write.ts";

/** The descriptor on which a worker answers. */
export const ANSWER_FD = 3;

export type SpawnWorker = (permissions: readonly string[], capabilities: readonly Capability[]) => ChildProcess;

/**
 * Starts this program as a worker, in a process group of its own, with only those environment variables that were
 * consented to.
 */
export function spawnWorker(permissions: readonly string[], capabilities: readonly Capability[]): ChildProcess {
  const { spawn } = require("node:child_process") as typeof import("node:child_process");
  const { execArgv, execPath, argv } = process;
  const program = argv[1] ?? "";
  const child = spawn(execPath, [...execArgv, ...permissions, ...codeCacheLoaderOf(program), program, "--policies"], {
    env: environmentFor(capabilities),
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  relay(child);
  return child;
}

/** Passes what a worker and its programs print to the agent's log, up to a limit. */
function relay({ stdout, stderr }: ChildProcess): void {
  const print = openCappedStderr();
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding("utf8");
    stream?.on("error", () => {});
    stream?.on("data", print);
  }
}

const FOR_PROGRAMS = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TMPDIR", "USER"];
/** No certificates, since an agent's environment can come from the repository that it works in. */
const FOR_NETWORK = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];

/** The environment that was consented to: all of it, what programs or connections need, or nothing. */
function environmentFor(capabilities: readonly Capability[]): NodeJS.ProcessEnv {
  if (capabilities.includes("env")) return { ...process.env };
  const names = [
    ...(capabilities.includes("exec") ? FOR_PROGRAMS : []),
    ...(capabilities.includes("net") ? [...FOR_NETWORK, ...FOR_NETWORK.map((name) => name.toLowerCase())] : []),
  ];
  return Object.fromEntries(names.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));
}

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

/**
 * The loader that started this program, if it was started with cached code. A worker has the same V8 flags, so the loader can
 * start it, too.
 */
function codeCacheLoaderOf(program: string): string[] {
  const loader = process.mainModule?.filename ?? "";
  return loader.endsWith(`/${LOADER}`) ? [loader, codeCacheOf(program, "long-running")] : [];
}
