import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { measure, summarize } from "./measure.mjs";
import { guard, shellGuard } from "./policies.mjs";
import { armed, HARMLESS, hookRow, isSilent } from "./rows.mjs";
import { drwn, drwnBinary, installCard, makeSignedWorld } from "./world.mjs";

const COUNTS = [1, 10, 100, 500];
/** A card with so many hooks is compiled and reviewed in one go. */
const HOOKS_PER_CARD = 100;

/**
 * One harmless event through the whole entry of the agent, with 1, 10, 100 and 500 policies of which three in ten want the
 * tool, on every Node that is tested: milliseconds, the ratio to `node -e 0` of that Node, and peak memory.
 * @param {string} folder
 * @param {number} rounds
 */
export async function measureHook(folder, rounds) {
  const { found, missing } = await findNodes();
  const worlds = COUNTS.map((count) => ({ count, world: makeGuarded(path.join(folder, `guarded-${count}`), count) }));
  const tables = [];
  for (const node of found) {
    const base = { name: "node -e 0", program: node.path, args: ["-e", "0"], cwd: folder, env: {} };
    const rows = worlds.map(({ count, world }) => ({
      ...hookRow(nameOf(count), world, HARMLESS),
      prepare: () => recordNode(world, node.path),
      fault: isSilent,
    }));
    const samples = await measure([base, ...rows, explainRow(worlds[0].world, node)], rounds);
    const figureOf = (name) => summarize(samples.get(name));
    const memory = new Map(worlds.map(({ count, world }) => [nameOf(count), peakOf(world, node.path)]));
    tables.push({
      node: node.version,
      rows: [...samples.keys()].map((name) => {
        const figure = figureOf(name);
        const { median, minimum } = figureOf(base.name);
        const ratios = { ratio: figure.median / median, leastRatio: figure.minimum / minimum };
        return { name, ...figure, ...ratios, mebibytes: memory.get(name) ?? null };
      }),
    });
  }
  return { tables, missing };
}

/** @param {Awaited<ReturnType<typeof measureHook>>} report */
export function printHook({ tables, missing }) {
  for (const { node, rows } of tables) {
    console.log(`\nNode ${node}`);
    const lines = [["", "median ms", "min", "p90", "ratio", "of minima", "peak MiB"]];
    for (const { name, median, minimum, p90, ratio, leastRatio, mebibytes } of rows) {
      const times = [median, minimum, p90].map((milliseconds) => milliseconds.toFixed(1));
      lines.push([name, ...times, ratio.toFixed(3), leastRatio.toFixed(3), mebibytes?.toFixed(1) ?? ""]);
    }
    const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
    for (const line of lines) {
      console.log(line.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[at]))).join("  "));
    }
  }
  for (const { major, reason } of missing) console.log(`skipped: Node ${major}: ${reason}`);
}

function nameOf(count) {
  return count === 1 ? "one policy" : `${count} policies, ${count * 0.3} match`;
}

/** The same question through the command line: what an oclif command costs in the place of the hook. */
function explainRow(world, { path: program }) {
  const args = [drwnBinary, "status"];
  return { name: "drwn status, an oclif command", program, args, cwd: world.project, env: world.env, every: 4 };
}

export function makeGuarded(folder, count) {
  if (count === 1) return armed(folder, { guard: shellGuard });
  const world = makeSignedWorld(folder);
  const matchers = ["Bash", "Bash", "Bash", "Read", "Write", "Edit", "Grep", "WebFetch", "mcp__*", "Task"];
  for (let first = 0; first < count; first += HOOKS_PER_CARD) {
    const hooks = Array.from({ length: Math.min(HOOKS_PER_CARD, count - first) }, (_, at) => [
      `guard-${at}`,
      guard(matchers[at % matchers.length]),
    ]);
    installCard(world, `guards-${first}`, Object.fromEntries(hooks));
  }
  drwn(world, "write");
  return world;
}

/** Has the launcher start this Node, as if `write` had been run by it. */
function recordNode({ env }, program) {
  const launcher = path.join(env.DRWN_HOME, "bin/hook");
  const text = fs.readFileSync(launcher, "utf8").replace(/^node=.*$/mu, `node='${program}'`);
  fs.writeFileSync(launcher, text.replace(/confine=--[a-z-]*permission$/mu, `confine=${permissionOf(program)}`));
}

/** What the launcher starts, without it: a Node that only notes what it was given tells. */
export function hookProcess(world, program, { preload, hook } = {}) {
  const recorder = path.join(world.folder, "recorder");
  const given = path.join(world.folder, "given");
  fs.writeFileSync(recorder, `#!/bin/sh\nprintf '%s\\n' "$@" >'${given}'\n`, { mode: 0o755 });
  recordNode(world, recorder);
  const { program: shell, args, stdin, cwd, env } = hookRow("", world, HARMLESS);
  spawnSync(shell, args, { cwd, env: { PATH: process.env.PATH, ...env }, input: stdin });
  const list = fs.readFileSync(given, "utf8").trimEnd().split("\n");
  const script = list.findIndex((one) => /\/hook(?:-[a-z-]+)?\.cjs$/u.test(one));
  const isFlag = (word) => word.startsWith("--");
  const flags = list
    .slice(0, script)
    .filter(isFlag)
    .map((flag) => flagFor(program, flag));
  // What loads the program with the code that V8 keeps of it, unless another program is measured.
  const loader = hook === undefined ? list.slice(0, script).filter((word) => !isFlag(word)) : [];
  // Node is held to drwn's own files where one process is enough.
  const mayTell = flags.some((flag) => flag.endsWith("permission")) ? ["--allow-fs-read=/proc/"] : [];
  const required = preload === undefined ? [] : [...mayTell, "--require", preload];
  // Told no file for events, it ends by a status, and what measures it has the last word.
  const told = [...list.slice(script + 1, -1), ""];
  return { program, args: [...flags, ...required, ...loader, hook ?? list[script], ...told] };
}

/** Node 20 and 22 know the permission model by another name than later ones. */
function flagFor(program, flag) {
  if (!flag.endsWith("-permission") && flag !== "--permission") return flag;
  return permissionOf(program);
}

function permissionOf(program) {
  return spawnSync(program, ["--permission", "-e", "0"]).status === 0 ? "--permission" : "--experimental-permission";
}

const PEAK = `const { readFileSync, writeSync } = require("node:fs");
const { reallyExit } = process;
process.reallyExit = (code) => {
  const kibibytes = /VmHWM:\\s*(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1];
  writeSync(2, \`peak \${kibibytes}\\n\`);
  Reflect.apply(reallyExit, process, [code]);
};
`;

/** Null where the system does not tell. */
function peakOf(world, node) {
  if (!fs.existsSync("/proc/self/status")) return null;
  const preload = path.join(world.env.DRWN_HOME, "bin/peak.cjs");
  fs.writeFileSync(preload, PEAK);
  const { program, args } = hookProcess(world, node, { preload });
  const { stdin, cwd, env } = hookRow("", world, HARMLESS);
  const { stderr } = spawnSync(program, args, { cwd, env, input: stdin, encoding: "utf8" });
  const [, kibibytes] = /peak (\d+)/u.exec(stderr) ?? [];
  if (kibibytes === undefined) throw new Error(`the hook process did not end as it should: ${stderr}`);
  return Number(kibibytes) / 1024;
}

/** `test/support/nodes.ts`, compiled for this run. */
async function findNodes() {
  const outfile = fileURLToPath(new URL("../../dist/bench-nodes.mjs", import.meta.url));
  const entry = fileURLToPath(new URL("../support/nodes.ts", import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm" });
  try {
    const { nodeBinaries } = await import(pathToFileURL(outfile).href);
    return await nodeBinaries({ mayInstall: true });
  } finally {
    fs.rmSync(outfile);
  }
}
