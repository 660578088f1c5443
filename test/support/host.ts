import fs from "node:fs";
import path from "node:path";
import { afterAll } from "vitest";
import type { Host } from "../../src/kernel/host.ts";
import { temporaryFolder } from "./cards.ts";

/** A machine of its own for one test. Its home and its project disappear when the test ends. */
export interface TestHost extends Host {
  /** Lets time pass. */
  advance(milliseconds: number): void;
  /** The same machine and moment, seen from another folder. */
  at(folder: string): TestHost;
  /** Every piece of work that was reported, in order. */
  readonly reported: readonly string[];
}

interface HostParts {
  /** The real path of an existing folder; absent: a new folder is made. */
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  /** Where home and project lie; absent: a new folder, which disappears when the test ends. */
  base?: string;
}

let scope: Host["scope"];

export function isAboutEveryFolder(): boolean {
  return scope === "global";
}

/**
 * Runs the tests of another file again, with machines that are asked about every folder instead of a project. Commands
 * run in the folder that holds what is asked for there, so that a test finds config.json and card.lock where it looks
 * for them.
 */
export async function testEveryFolder(file: string): Promise<void> {
  scope = "global";
  afterAll(() => {
    scope = undefined;
  });
  // Under another name, since a worker may have loaded the file for itself.
  await import(`${new URL(`../${file}`, import.meta.url).href}?everywhere`);
}

const START = Date.parse("2026-03-01T12:00:00.000Z");

/** Home, state and project are in one temporary folder: `home`, `home/.agents/drwn` and `project`. */
export function testHost({ cwd, env = {}, base = temporaryFolder() }: HostParts = {}): TestHost {
  const home = path.join(base, "home");
  const project = cwd ?? path.join(base, scope === "global" ? "home/.agents/drwn/global" : "project");
  // Somebody who uses Claude Code.
  for (const folder of [path.join(home, ".claude"), project]) fs.mkdirSync(folder, { recursive: true });
  const clock = { now: START };
  return hostAt(project, {
    home,
    drwnHome: path.join(home, ".agents", "drwn"),
    env: { PATH: process.env["PATH"], HOME: home, ...env },
    clock,
    reported: [],
  });
}

interface Machine {
  home: string;
  drwnHome: string;
  env: Host["env"];
  clock: { now: number };
  reported: string[];
}

function hostAt(cwd: string, machine: Machine): TestHost {
  const { clock, home, drwnHome, env, reported } = machine;
  return {
    ...(scope === undefined ? {} : { scope }),
    cwd,
    home,
    drwnHome,
    env,
    now: () => new Date(clock.now),
    nodePath: process.execPath,
    progress: (doing) => {
      reported.push(doing);
    },
    advance: (milliseconds) => {
      clock.now += milliseconds;
    },
    at: (folder) => hostAt(folder, machine),
    reported,
  };
}
