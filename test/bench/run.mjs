// npm run bench [-- --rounds N] [--json]: whole processes, interleaved, as ratios to `node -e 0` of the same run.
// npm run bench -- --hook: the hook on every Node with up to 500 policies, and where the time of one event goes.
// npm run bench -- --growth: what commands cost in projects of 10, 100 and 1,000 cards. Takes some minutes.
// npm run bench -- --commands: each visible command.
// npm run bench -- --past: reports, replays and cases: a million calls, 500 MB, 1,000 cases. Takes GNU time.
// npm run bench -- --system: a policy of root's beside one of a project's, in an /etc of its own. Takes root.
// DRWN_BENCH_REFERENCE and DRWN_BENCH_HOOKER are shell commands with which those answer an event; unset, their rows are
// named as skipped.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { measureAgents, printAgents } from "./agents.mjs";
import { measureAnatomy, printAnatomy } from "./anatomy.mjs";
import { measureArchives, printArchives } from "./archives.mjs";
import { catalogueRows } from "./catalogue.mjs";
import { measureCommands, printCommands } from "./commands.mjs";
import { measureDev, printDev } from "./dev.mjs";
import { entryRows } from "./entries.mjs";
import { measureHandlers, printHandlers } from "./handlers.mjs";
import { makeGuarded, measureHook, printHook } from "./hook-table.mjs";
import { hookerRows } from "./hooker.mjs";
import { measure, summarize } from "./measure.mjs";
import { measureGrowth, packageRows, printGrowth } from "./packages.mjs";
import { measurePast, printPast } from "./past.mjs";
import { BASE, makeRows, rivalRows, skippedRows } from "./rows.mjs";
import { runInOwnEtc, systemRows } from "./system.mjs";
import { removeFolder } from "./world.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "40" },
    json: { type: "boolean" },
    growth: { type: "boolean" },
    hook: { type: "boolean" },
    commands: { type: "boolean" },
    system: { type: "boolean" },
    past: { type: "boolean" },
  },
});
/** Rounds of short rows for each of the others. */
const TIMES = 3;
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds takes a whole number above 0");

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-bench-")));
try {
  if (values.growth) await runGrowth();
  else if (values.hook) await runHook();
  else if (values.commands) await runCommands();
  else if (values.system) await runSystem();
  else if (values.past) runPast();
  else await runRows();
} finally {
  removeFolder(folder);
}

async function runCommands() {
  const measured = await measureCommands(path.join(folder, "commands"), rounds);
  const saved = await measureDev(path.join(folder, "dev"));
  if (values.json) console.log(JSON.stringify({ commands: measured, dev: saved }));
  else {
    printCommands(measured);
    printDev(saved);
  }
}

function runPast() {
  const rows = measurePast(folder);
  if (values.json) console.log(JSON.stringify(rows, null, 2));
  else printPast(rows);
}

async function runRows() {
  console.error("making throwaway homes with the real command line …");
  const rivals = rivalRows(process.env, folder);
  const rows = [
    ...makeRows(folder),
    ...catalogueRows(folder),
    ...entryRows(folder),
    ...(await packageRows(folder)),
    ...hookerRows(folder, process.env),
    ...rivals,
  ];
  console.error(`measuring ${rows.length} rows in ${rounds} rounds, and short ones in ${TIMES} times as many …`);
  const measured = makeReport(rows, await measureRows(rows));
  const report = {
    ...measured,
    agents: await measureAgents(folder),
    archives: measureArchives(folder),
    handlers: await measureHandlers(folder),
  };
  if (values.json) console.log(JSON.stringify(report, null, 2));
  else printReport(report);
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

async function runGrowth() {
  console.error("measuring projects of 10, 100 and 1,000 cards …");
  const growth = await measureGrowth(folder);
  if (values.json) console.log(JSON.stringify(growth, null, 2));
  else printGrowth(growth);
}

async function runSystem() {
  if (runInOwnEtc(folder)) return;
  const rows = systemRows(folder);
  const report = makeReport(rows, await measureRows(rows));
  if (values.json) console.log(JSON.stringify(report, null, 2));
  else printRows(report);
}

async function runHook() {
  console.error("making throwaway homes with up to 500 policies, and finding other Nodes …");
  const hook = await measureHook(folder, rounds);
  const anatomy = await measureAnatomy(makeGuarded(path.join(folder, "anatomy"), 1));
  if (values.json) {
    console.log(JSON.stringify({ hook, anatomy }, null, 2));
    return;
  }
  printHook(hook);
  printAnatomy(anatomy);
}

function makeReport(rows, figures) {
  const measured = rows.map(({ name, target, rival }) => {
    const { base, ...figure } = figures.get(name);
    const ratio = figure.median / base;
    const share = rival === undefined ? undefined : figures.get(rival.ours).median / figure.median;
    const other = figures.get(target?.of ?? target?.than);
    return { name, ...figure, ratio, ...judge({ figure, ratio, other, target, share, rival }) };
  });
  const machine = `${os.cpus()[0]?.model ?? "unknown"}, ${os.availableParallelism()} cores, ${process.platform}`;
  return { node: process.version, machine, load: os.loadavg()[0], rows: measured, skipped: skippedRows(process.env) };
}

/** The target in words, and whether it is kept. */
function judge({ figure, ratio, other, target, share, rival }) {
  if (share !== undefined) {
    return {
      target: `ours / this ${share.toFixed(2)} ≤ ${rival.most}`,
      verdict: verdictOf(share <= rival.most),
      share,
    };
  }
  if (target === undefined) return { target: "", verdict: ratio === 1 ? "base" : "" };
  if ("of" in target) {
    const part = figure.median / other.median;
    return { target: `${part.toFixed(2)} of npm ≤ ${target.ratio}`, verdict: verdictOf(part <= target.ratio) };
  }
  if ("than" in target) {
    const more = figure.median - other.median;
    return { target: `${more.toFixed(0)} ms more ≤ ${target.more}`, verdict: verdictOf(more <= target.more) };
  }
  if ("ratio" in target) return { target: `≤ ${target.ratio}`, verdict: verdictOf(ratio <= target.ratio) };
  const { milliseconds } = target;
  return { target: `≤ ${milliseconds} ms`, verdict: verdictOf(figure.median <= milliseconds) };
}

function verdictOf(isKept) {
  return isKept ? "pass" : "over";
}

function printReport({ agents, archives, handlers, ...report }) {
  printRows(report);
  for (const { name, reason } of report.skipped) console.log(`skipped: ${name}: ${reason}`);
  printAgents(agents, report.rows.find(({ name }) => name === BASE).median);
  printArchives(archives);
  printHandlers(handlers);
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
