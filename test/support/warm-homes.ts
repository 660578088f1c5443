import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { layout } from "../../src/contract/layout.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { findWaiting, setWarm } from "../../src/wiring/waiting.ts";
import { type ArmedHome, armHome, type LiteralPolicy } from "./armed-home.ts";
import { type CallOptions, eventOf, type HookResult } from "./hook-calls.ts";

const LONGEST_START_MS = 60_000;

export interface Waiting {
  pid: number;
  /** The folder of its pipes. */
  slot: string;
  readyFile: string;
}

/** A home where a hook process starts before each call. */
export function armWarmHome(policies: readonly LiteralPolicy[]): ArmedHome {
  const armed = armHome(policies);
  setWarm(armed.home, true);
  return armed;
}

/** The process that waits for the next call, as soon as there is one: the last thing it does is to say so in a file. */
export async function nextWaiting({ home, key }: ArmedHome): Promise<Waiting> {
  const changes = fs.watch(path.dirname(layout.ready(home, key, "1")));
  const signal = AbortSignal.timeout(LONGEST_START_MS);
  try {
    for (;;) {
      const found = findReady(home, key);
      if (found !== undefined) return found;
      await once(changes, "change", { signal });
    }
  } finally {
    changes.close();
  }
}

function findReady(home: string, key: string): Waiting | undefined {
  return ["1", "2"]
    .map((place) => {
      const readyFile = layout.ready(home, key, place);
      return { pid: Number(readIfThere(readyFile).split(" ")[0]), slot: `${layout.warm(home)}/${place}`, readyFile };
    })
    .find(({ pid, slot }) => pid > 0 && findWaiting(home).includes(pid) && !fs.existsSync(`${slot}/taken`));
}

/**
 * The numbers of all processes that were started ahead of this home's calls, including those that no call would find.
 */
export function findStarted({ home }: ArmedHome): number[] {
  const numbers = fs.readdirSync("/proc").filter((name) => /^[0-9]+$/u.test(name));
  const words = (pid: string): string[] => readIfThere(`/proc/${pid}/cmdline`).split("\0");
  return numbers
    .filter((pid) => words(pid).some((word) => word.startsWith("ready:")) && words(pid).includes(home))
    .map(Number);
}

/**
 * Makes a call after the process is ready that the last one has started: two calls at once would use up each other's
 * process.
 */
export async function callWarm(armed: ArmedHome, event: object, options: CallOptions = {}): Promise<HookResult> {
  await nextWaiting(armed);
  return armed.call(event as Record<string, unknown>, options);
}

/** The same, while this process does something else. */
export function startCall(
  { home, project }: Pick<ArmedHome, "home" | "project">,
  event: object,
  { phase = "pre", runtime = "claude-code", input }: CallOptions = {},
): Promise<HookResult> {
  const env = { PATH: process.env["PATH"], HOME: os.homedir(), CLAUDE_PROJECT_DIR: project };
  const child = spawn("sh", ["-c", hookCommand({ home, runtime, phase })], { cwd: project, env });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  // If an event is denied before it is read whole, the rest isn't read.
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? JSON.stringify({ ...eventOf(phase, project), ...event }));
  const said = () => (stdout.startsWith("{") ? JSON.parse(stdout) : undefined);
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, stdout, stderr, said: said() })));
}

export function readIfThere(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** A line of the journal without what differs between two equal calls. */
export function timeless(line: Record<string, unknown> | undefined): unknown {
  return JSON.parse(JSON.stringify(line, (key, value) => (VARYING.includes(key) ? null : value)));
}
const VARYING = ["at", "time", "pid", "ms", "prev", "hash"];
