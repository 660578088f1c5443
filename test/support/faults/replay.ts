import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { unlockFolders } from "../../../src/kernel/files.ts";
import { temporaryFolder } from "../cards.ts";
import type { TestHost } from "../host.ts";
import { machineOf } from "../machine-state.ts";

/**
 * How the machine fails a process at one of its calls. `kill`: it dies before the call. `torn`: it dies halfway
 * through. `ENOSPC`: the disk is full from then on. `short`: half is written, then the disk is full. `EIO`: only that
 * call fails.
 */
export const SHAPES = ["kill", "torn", "ENOSPC", "short", "EIO"] as const;
export type Shape = (typeof SHAPES)[number];

/** A call of a process that changes something. */
export interface Call {
  name: string;
  /** Relative to the machine. */
  target: string;
  isGrowing: boolean;
}

/** What preload.mjs gets. */
interface Fault {
  root: string;
  now: string;
  shape?: Shape;
  /** The number of the call, counted from 1. */
  at?: number;
  log?: string;
}

export interface Ended {
  /** Its signal, otherwise its exit code. */
  end: string | number | null;
  stdout: string;
  stderr: string;
}

const PROGRAM = path.resolve(import.meta.dirname, "../../../bin/drwn.js");
const PRELOAD = path.join(import.meta.dirname, "preload.mjs");

/** Runs the built program on the machine, in its project. */
export function runFaulty(host: TestHost, argv: readonly string[], fault: Pick<Fault, "shape" | "at" | "log">): Ended {
  const root = machineOf(host);
  const told: Fault = { root, now: host.now().toISOString(), ...fault };
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, ["--import", PRELOAD, PROGRAM, ...argv], {
    cwd: host.cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: host.home,
      TMPDIR: path.join(root, "tmp"),
      NO_COLOR: "1",
      DRWN_FAULT: JSON.stringify(told),
    },
    encoding: "utf8",
    timeout: 60_000,
  });
  return { end: signal ?? status, stdout, stderr };
}

/** Every call of the undisturbed command that changes something, in order, and how the command ended. */
export function listCalls(host: TestHost, argv: readonly string[]): { calls: Call[]; ended: Ended } {
  const log = path.join(temporaryFolder(), "calls.json");
  const ended = runFaulty(host, argv, { log });
  return { calls: JSON.parse(fs.readFileSync(log, "utf8")) as Call[], ended };
}

const HALVED = ["write", "writeFile", "appendFile", "rm"];

/** Whether the call can fail in this way. */
export function canFail({ name, isGrowing }: Call, shape: Shape): boolean {
  if (shape === "torn") return HALVED.includes(name);
  if (shape === "short") return HALVED.includes(name) && isGrowing;
  return shape !== "ENOSPC" || isGrowing;
}

/** Returns a function that restores the machine to its present state, as often as it is called. */
export function keepMachine(host: TestHost): () => void {
  const root = machineOf(host);
  fs.mkdirSync(path.join(root, "tmp"), { recursive: true });
  const kept = temporaryFolder();
  copy(root, kept);
  return () => {
    unlockFolders(root);
    // The folders themselves stay: drwn also recognises a project by its inode.
    for (const folder of fs.readdirSync(root)) {
      for (const name of fs.readdirSync(path.join(root, folder))) {
        fs.rmSync(path.join(root, folder, name), { recursive: true, force: true });
      }
    }
    copy(kept, root);
  };
}

function copy(from: string, to: string): void {
  const { status, stderr } = spawnSync("cp", ["-a", `${from}/.`, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}
