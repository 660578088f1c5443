// npm run bench [-- --rounds N] [--json]: whole processes, interleaved, as ratios to `node -e 0` of the same run.
// npm run bench -- --past: reports, replays and cases: a million calls, 500 MB, 1,000 cases. Takes GNU time.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { catalogueRows } from "./catalogue.mjs";
import { entryRows } from "./entries.mjs";
import { measure, summarize } from "./measure.mjs";
import { packageRows } from "./packages.mjs";
import { measurePast, printPast } from "./past.mjs";
import { BASE, makeRows } from "./rows.mjs";
import { removeFolder } from "./world.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "40" },
    json: { type: "boolean" },
    past: { type: "boolean" },
  },
});
/** Rounds of short rows for each of the others. */
const TIMES = 3;
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds takes a whole number above 0");

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-bench-")));
try {
  if (values.past) runPast();
  else await runRows();
} finally {
  removeFolder(folder);
}

function runPast() {
  const rows = measurePast(folder);
  if (values.json) console.log(JSON.stringify(rows, null, 2));
  else printPast(rows);
}

async function runRows() {
  console.error("making throwaway homes with the real command line …");
  const rows = [...makeRows(folder), ...catalogueRows(folder), ...entryRows(folder), ...(await packageRows(folder))];
  console.error(`measuring ${rows.length} rows in ${rounds} rounds, and short ones in ${TIMES} times as many …`);
  const report = makeReport(rows, await measureRows(rows));
  if (values.json) console.log(JSON.stringify(report, null, 2));
  else printRows(report);
}

/**
 * What an agent waits for takes turns with its like alone: what takes long leaves the machine in another state for those that come behind it.
 * Each row comes with the `node -e 0` that it took turns with.
 */
async function measureRows(rows) {
  const isShort = ({ every = 1 }) => every === 1;
  const isLong = ({ every = 1 }) => every !== 1;
  const base = rows.filter(({ name }) => name === BASE);
  const short = await measure(rows.filter(isShort), rounds * TIMES);
  const long = await measure([...base, ...rows.filter(isLong)], rounds);
  return new Map(
    rows.map((row) => {
      const samples = isLong(row) ? long : short;
      return [row.name, { ...summarize(samples.get(row.name)), base: summarize(samples.get(BASE)).median }];
    }),
  );
}

function makeReport(rows, figures) {
  const measured = rows.map(({ name, target }) => {
    const { base, ...figure } = figures.get(name);
    const ratio = figure.median / base;
    return { name, ...figure, ratio, ...judge({ figure, ratio, other: figures.get(target?.of), target }) };
  });
  const machine = `${os.cpus()[0]?.model ?? "unknown"}, ${os.availableParallelism()} cores, ${process.platform}`;
  return { node: process.version, machine, load: os.loadavg()[0], rows: measured };
}

/** The target in words, and whether it is kept. */
function judge({ figure, ratio, other, target }) {
  if (target === undefined) return { target: "", verdict: ratio === 1 ? "base" : "" };
  if ("of" in target) {
    const part = figure.median / other.median;
    return { target: `${part.toFixed(2)} of npm ≤ ${target.ratio}`, verdict: verdictOf(part <= target.ratio) };
  }
  if ("ratio" in target) return { target: `≤ ${target.ratio}`, verdict: verdictOf(ratio <= target.ratio) };
  const { milliseconds } = target;
  return { target: `≤ ${milliseconds} ms`, verdict: verdictOf(figure.median <= milliseconds) };
}

function verdictOf(isKept) {
  return isKept ? "pass" : "over";
}

function printRows({ node, machine, load, rows }) {
  const lines = [["", "median ms", "min", "p90", "runs", "ratio", "target", ""]];
  for (const { name, median, minimum, p90, runs, ratio, target, verdict } of rows) {
    const times = [median, minimum, p90].map((milliseconds) => milliseconds.toFixed(1));
    lines.push([name, ...times, String(runs), ratio.toFixed(3), target, verdict]);
  }
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  console.log(`Node ${node}, ${machine}, load ${load.toFixed(1)}; ratio to \`${BASE}\`\n`);
  for (const line of lines) {
    const cells = line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])));
    console.log(cells.join("  ").trimEnd());
  }
}
