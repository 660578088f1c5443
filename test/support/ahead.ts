import fs from "node:fs";
import { expect } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { CANARY_TOOL } from "../../src/contract/plan.ts";
import { GLOBAL_KEY } from "../../src/contract/scope.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { findWaiting, setWarm } from "../../src/wiring/waiting.ts";
import { type CallOptions, eventOf, runShell } from "./hook-calls.ts";

/** Longer than Node takes to start on a machine with ten others at work. */
const LONGEST_WAIT_MS = 15_000;
/** How long a launcher that has ended may take to begin starting the next process. */
const LONGEST_START_MS = 3_000;
/** A call that blocks before it looks for a process usually starts none. */
const LONGEST_START_BLOCKED_MS = 300;

interface Guarded {
  home: string;
  key: string;
  project: string;
}

/** Whether every call of a test should find a process that waits for it. */
export function isAhead(): boolean {
  return Boolean(process.env["DRWN_TEST_WARM"]);
}

/** Makes the call; if `isAhead`, with a process that waits for it. Notes whether that process took it. */
export function callAhead<T>(place: Guarded, options: CallOptions, call: () => T): T {
  if (!isAhead()) return call();
  const why = waitAhead(place, options);
  return why === undefined ? countTaken(place, call) : note(why, call());
}

/** Makes the call, and notes whether a waiting process took it. */
export function countTaken<T>({ home, key }: Pick<Guarded, "home" | "key">, call: () => T): T {
  if (!isAhead()) return call();
  const before = listReady(home, key);
  const result = call();
  const after = listReady(home, key).map(({ pid }) => pid);
  const isTaken = before.some(({ pid }) => !after.includes(pid));
  return note(isTaken ? "warm" : before.length > 0 ? "not taken" : "none waits", result);
}

/** With a file for a value, DRWN_TEST_WARM gets a line for each call. */
function note<T>(what: string, result: T): T {
  const file = process.env["DRWN_TEST_WARM"] ?? "";
  if (file.startsWith("/")) fs.appendFileSync(file, `${what}\t${expect.getState().currentTestName ?? ""}\n`);
  return result;
}

/**
 * Makes a process wait for the coming call, unless one does already, and leaves no trace of it: the journal is as before. If that fails, the
 * result says why.
 */
export function waitAhead(place: Guarded, options: CallOptions): string | undefined {
  const { home, key } = place;
  if (fs.existsSync(layout.warm(home)) && waitUntilReady(place, options, LONGEST_START_BLOCKED_MS)) return undefined;
  if (!fs.existsSync(layout.confined(home, key))) return "several processes";
  setWarm(home, true);
  const traces = [key, GLOBAL_KEY].flatMap((of) => [
    layout.journal(home, of),
    layout.seals(home, of),
    layout.denied(home, of),
  ]);
  // A test may have replaced one of them.
  if (traces.some((file) => fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === false))
    return "no plain journal";
  const before = traces.map((file) =>
    fs.existsSync(file) ? { bytes: fs.readFileSync(file), at: fs.statSync(file).mtime } : undefined,
  );
  startAhead(place, options);
  traces.forEach((file, at) => {
    const was = before[at];
    if (was === undefined) {
      fs.rmSync(file, { force: true });
      return;
    }
    fs.writeFileSync(file, was.bytes);
    fs.utimesSync(file, was.at, was.at);
  });
  return undefined;
}

/** Makes a call before the call, behind which the launcher starts a process. */
function startAhead(place: Guarded, options: CallOptions): void {
  const { home, project } = place;
  const input = JSON.stringify({ ...eventOf("pre", project), tool_name: CANARY_TOOL });
  const command = hookCommand({ home, runtime: options.runtime ?? "claude-code", phase: "pre" });
  const { status } = runShell(command, project, { ...options, input });
  waitUntilReady(place, options, status === 0 ? LONGEST_START_MS : LONGEST_START_BLOCKED_MS);
}

/** True when a process waits for calls of this agent from this folder. */
function waitUntilReady({ home, key, project }: Guarded, options: CallOptions, longestStartMs: number): boolean {
  const { runtime = "claude-code", cwd = project, env } = options;
  const folders = [cwd, env?.["CLAUDE_PROJECT_DIR"] ?? project].map((folder) => realPathOf(folder));
  const isReady = () =>
    listReady(home, key).some((one) => one.runtime === runtime && folders.some((folder) => one.words.includes(folder)));
  const begun = Date.now();
  const isStarting = () => Date.now() - begun < (hasStarting(home, key) ? LONGEST_WAIT_MS : longestStartMs);
  while (!isReady()) {
    if (!isStarting()) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
  return true;
}

/** Whether a process is there that has not said yet that it waits. */
function hasStarting(home: string, key: string): boolean {
  const ready = listReady(home, key).map(({ pid }) => Number(pid.split(" ")[0]));
  return findWaiting(home).some((pid) => !ready.includes(pid));
}

function realPathOf(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The processes that say that they wait, and for what. */
function listReady(home: string, key: string): { pid: string; runtime: string; words: string[] }[] {
  return ["1", "2"].flatMap((place) => {
    const file = layout.ready(home, key, place);
    if (!fs.existsSync(file)) return [];
    const [pid = "", told = ""] = fs.readFileSync(file, "utf8").split("\n");
    const words = told.split("\t");
    return [{ pid, runtime: words[0] ?? "", words }];
  });
}
