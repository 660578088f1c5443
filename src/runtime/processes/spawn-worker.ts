import type { ChildProcess } from "node:child_process";
import type { Capability } from "../../contract/plan.ts";
import { openCappedStderr } from "../../hot/capped-output.ts";
import { codeCacheLoaderOf } from "./code-cache-loader.ts";

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
