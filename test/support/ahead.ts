import fs from "node:fs";
import { layout } from "../../src/contract/layout.ts";
import { CANARY_TOOL } from "../../src/contract/plan.ts";
import { GLOBAL_KEY } from "../../src/contract/scope.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { findWaiting, setWarm } from "../../src/wiring/waiting.ts";
import { type CallOptions, eventOf, runShell } from "./hook-calls.ts";

const LONGEST_WAIT_MS = 5_000;
/** After this long, a launcher that has ended has also begun to start the next process. */
const LONGEST_START_MS = 1_000;

interface Guarded {
  home: string;
  key: string;
  project: string;
}

/** Whether every call of a test should find a process that waits for it. */
export function isAhead(): boolean {
  return Boolean(process.env["DRWN_TEST_WARM"]);
}

/** Makes a process wait for the coming call, and leaves no trace of it: the journal is as before. */
export function waitAhead({ home, key, project }: Guarded, options: CallOptions): void {
  if (options.shell !== undefined || !fs.existsSync(layout.confined(home, key))) return;
  setWarm(home, true);
  const traces = [key, GLOBAL_KEY].flatMap((of) => [
    layout.journal(home, of),
    layout.seals(home, of),
    layout.denied(home, of),
  ]);
  // A test may have replaced one of them.
  if (traces.some((file) => fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === false)) return;
  const before = traces.map((file) =>
    fs.existsSync(file) ? { bytes: fs.readFileSync(file), at: fs.statSync(file).mtime } : undefined,
  );
  const input = JSON.stringify({ ...eventOf("pre", project), tool_name: CANARY_TOOL });
  const command = hookCommand({ home, runtime: options.runtime ?? "claude-code", phase: "pre" });
  runShell(command, project, { ...options, input });
  traces.forEach((file, at) => {
    const was = before[at];
    if (was === undefined) {
      fs.rmSync(file, { force: true });
      return;
    }
    fs.writeFileSync(file, was.bytes);
    fs.utimesSync(file, was.at, was.at);
  });
  const begun = Date.now();
  const isStarting = () => Date.now() - begun < (findWaiting(home).length > 0 ? LONGEST_WAIT_MS : LONGEST_START_MS);
  while (!isReady({ home, key }, options.runtime ?? "claude-code") && isStarting()) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}

/** Whether a process waits for a call of this agent. */
function isReady({ home, key }: Pick<Guarded, "home" | "key">, runtime: string): boolean {
  return ["1", "2"].some((place) => {
    const file = layout.ready(home, key, place);
    return fs.existsSync(file) && fs.readFileSync(file, "utf8").includes(`\n${runtime}\t`);
  });
}
