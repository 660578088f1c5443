import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { drwn } from "./world.mjs";

/** Rows that come again with a process that was started before the call, each with what it may take then. */
const TARGETS = {
  "one event, one policy": 0.3,
  "one event, 100 policies, 30 match": 0.6,
  "one prompt through Claude Code's entry": 0.35,
};
const LONGEST_WAIT_MS = 20_000;

/** @param {import("./measure.mjs").Row[]} rows */
export function warmRows(rows) {
  return rows
    .filter(({ name }) => name in TARGETS)
    .map((row) => ({
      ...row,
      name: `${row.name}, a process ahead`,
      target: { ratio: TARGETS[row.name] },
      isWarm: true,
    }));
}

/**
 * Turns it on where these rows are, and has each of them, and the `node -e 0` beside them, begin when all is ready: what a call starts
 * behind it costs the next row nothing.
 */
export function turnWarm(rows, base) {
  for (const row of rows) {
    drwn({ project: row.cwd, env: row.env }, "hook", "warm", "on");
    // Starts the first.
    spawnSync(row.program, row.args, { cwd: row.cwd, env: { PATH: process.env.PATH, ...row.env }, input: row.stdin });
  }
  const homes = rows.map(({ env }) => path.join(env.DRWN_HOME, "projects"));
  const prepare = () => homes.forEach(waitForOne);
  return [base, ...rows].map((row) => ({ ...row, prepare }));
}

export function turnCold(rows) {
  for (const row of rows) drwn({ project: row.cwd, env: row.env }, "hook", "warm", "off");
}

function waitForOne(projects) {
  const until = Date.now() + LONGEST_WAIT_MS;
  const isReady = () =>
    fs
      .readdirSync(projects)
      .some((key) => ["ready-1", "ready-2"].some((name) => fs.existsSync(path.join(projects, key, name))));
  while (!isReady()) {
    if (Date.now() > until) throw new Error(`no hook process waits in ${projects}`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
  }
}
