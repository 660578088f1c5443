import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

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
 * @returns {Promise<Map<string, number[]>>}
 */
export async function measure(rows, rounds) {
  const starter = fork(fileURLToPath(new URL("starter.mjs", import.meta.url)));
  const samples = new Map(rows.map(({ name }) => [name, []]));
  try {
    for (let round = -WARM_UPS; round < rounds; round++) {
      const due = rows.filter(({ every = 1 }) => round % every === 0);
      for (const row of shuffled(due)) {
        const milliseconds = await runOnce(starter, row);
        if (round >= 0) samples.get(row.name).push(milliseconds);
      }
    }
  } finally {
    starter.disconnect();
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

/**
 * @param {import("node:child_process").ChildProcess} starter
 * @param {Row} row
 */
async function runOnce(starter, { name, env, stdin = "", prepare, fault, ...row }) {
  prepare?.();
  const { program, args, cwd } = row;
  starter.send({ program, args, cwd, env: { PATH: process.env.PATH, ...env }, stdin });
  const [result] = await once(starter, "message");
  const { milliseconds } = result;
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
