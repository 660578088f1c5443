import { spawnSync } from "node:child_process";

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} program
 * @property {string[]} args
 * @property {string} cwd
 * @property {Record<string, string>} env exactly this, and PATH
 * @property {string} [stdin]
 * @property {number} [every] runs in each nth round only: for what takes long
 * @property {() => void} [prepare] before each run, not timed
 * @property {(result: { status: number | null, stdout: string, stderr: string }) => string | undefined} [fault]
 *   what is wrong with an answer: a run that failed fast must not count as a fast run
 */

const WARM_UPS = 3;

/**
 * Milliseconds of each run by row name. Every round runs every row once, in a random order, so that what else happens on
 * the machine hits all of them alike. A run lasts from spawn until its output is closed.
 * @param {Row[]} rows
 * @param {number} rounds
 * @returns {Map<string, number[]>}
 */
export function measure(rows, rounds) {
  const samples = new Map(rows.map(({ name }) => [name, []]));
  for (let round = -WARM_UPS; round < rounds; round++) {
    const due = rows.filter(({ every = 1 }) => round % every === 0);
    for (const row of shuffled(due)) {
      const milliseconds = runOnce(row);
      if (round >= 0) samples.get(row.name).push(milliseconds);
    }
  }
  return samples;
}

/** @param {number[]} samples */
export function summarize(samples) {
  const sorted = [...samples].sort((left, right) => left - right);
  const last = sorted.length - 1;
  const median = (sorted[Math.floor(last / 2)] + sorted[Math.ceil(last / 2)]) / 2;
  return { runs: sorted.length, median, minimum: sorted[0], p90: sorted[Math.round(last * 0.9)] };
}

/** @param {Row} row */
function runOnce({ name, program, args, cwd, env, stdin = "", prepare, fault }) {
  prepare?.();
  const started = process.hrtime.bigint();
  const result = spawnSync(program, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    input: stdin,
    encoding: "utf8",
    timeout: 60_000,
  });
  const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
  // What ends without looking at its input may have ended before all of it was written.
  const broken = result.error?.code === "EPIPE" ? undefined : result.error?.message;
  const wrong = broken ?? (fault ?? exitsWithZero)(result);
  if (wrong !== undefined) throw new Error(`${name}: ${wrong}\n${result.stdout}\n${result.stderr}`);
  return milliseconds;
}

function exitsWithZero({ status }) {
  return status === 0 ? undefined : `exit code ${status}`;
}

function shuffled(rows) {
  const order = [...rows];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}
