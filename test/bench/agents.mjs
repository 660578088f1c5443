import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { shellGuard } from "./policies.mjs";
import { armed, HARMFUL } from "./rows.mjs";
import { drwn } from "./world.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const RUNS = 7;

/** Decodes an event of each agent and encodes a deny: as often as a process for one event does, and when it has long been warm. */
const SCRIPT = `
import { allAdapters } from "${repository}src/agents/adapters/calls.ts";
import { allTargets } from "${repository}src/agents/targets.ts";
import { canaryCall } from "${repository}src/wiring/canary-call.ts";
const saying = { action: "deny", reason: "x".repeat(200), context: null, updatedInput: null, syntheticOutput: null };
const rows = {};
for (const adapter of allAdapters()) {
  if (adapter.runtime !== process.argv[2]) continue;
  const target = allTargets().find(({ runtime }) => runtime === adapter.runtime);
  const input = { command: "git status", description: "a step" };
  const text = JSON.stringify(canaryCall(target.calls, { root: "/home/somebody/project", tool: "Bash", input }).event);
  const once = () => {
    const wire = JSON.parse(text);
    const begun = process.hrtime.bigint();
    adapter.decode(wire, "pre-tool");
    const decoded = process.hrtime.bigint();
    adapter.encode(saying);
    return [decoded - begun, process.hrtime.bigint() - decoded].map((ns) => Number(ns) / 1_000);
  };
  const [decode, encode] = once();
  const warm = Array.from({ length: 20_000 }, once).slice(10_000);
  const least = (at) => warm.map((pair) => pair[at]).sort((left, right) => left - right)[Math.floor(warm.length / 2)];
  process.stdout.write(JSON.stringify({ decode, encode, warmDecode: least(0), warmEncode: least(1) }));
}
if (process.argv.length < 3) process.stdout.write(JSON.stringify(allAdapters().map(({ runtime }) => runtime)));
`;

/** @typedef {{ runtime: string, decode: number, encode: number, warmDecode: number, warmEncode: number }} AgentRow */

/**
 * Microseconds that each agent's adapter takes, and milliseconds of a call in an app with a Mastra agent.
 * @param {string} folder
 * @returns {Promise<{ adapters: AgentRow[], mastra: { first: number, median: number, bare: number } }>}
 */
export async function measureAgents(folder) {
  const script = path.join(folder, "agents.mjs");
  await build({
    stdin: { contents: SCRIPT, resolveDir: repository, loader: "ts" },
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    external: ["esbuild"],
    banner: {
      js: 'import { createRequire as forCommonJs } from "node:module"; const require = forCommonJs(import.meta.url);',
    },
    logLevel: "error",
  });
  const runtimes = runScript(script);
  const adapters = runtimes.map((runtime) => {
    const runs = Array.from({ length: RUNS }, () => runScript(script, runtime));
    const least = (field) => Math.min(...runs.map((run) => run[field]));
    const figures = ["decode", "encode", "warmDecode", "warmEncode"].map((field) => [field, least(field)]);
    return { runtime, ...Object.fromEntries(figures) };
  });
  return { adapters, mastra: measureMastra(path.join(folder, "mastra")) };
}

function runScript(script, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const CALLS = 60;

const APP = `
import { guardProject } from "${repository}dist/mastra/index.js";
const [hook, project, command] = process.argv.slice(2);
const { hooks } = guardProject({ hook, project });
const call = (toolName) => hooks.beforeToolCall({ toolName, input: { command }, context: {} });
const timed = async (toolName, isRefused) => {
  const begun = performance.now();
  const refusal = await call(toolName);
  if ((refusal !== undefined) !== isRefused) throw new Error("the call was not judged as it should be");
  return performance.now() - begun;
};
const shell = "mastra_workspace_execute_command";
const median = (times) => times.sort((left, right) => left - right)[Math.floor(times.length / 2)];
const first = await timed(shell, true);
const [guarded, bare] = [[], []];
for (let i = 0; i < ${CALLS}; i++) {
  // A model takes its time between two calls.
  await new Promise((resolve) => setTimeout(resolve, 100));
  guarded.push(await timed(shell, true));
  bare.push(await timed("weather", false));
}
process.stdout.write(JSON.stringify({ first, median: median(guarded), bare: median(bare) }));
`;

function measureMastra(folder) {
  const world = armed(folder, { guard: shellGuard });
  drwn(world, "write", "--runtime", "mastra");
  const app = path.join(folder, "app.mjs");
  fs.writeFileSync(app, APP);
  return runScript(app, path.join(world.env.DRWN_HOME, "bin/hook"), world.project, HARMFUL);
}

/** @param {Awaited<ReturnType<typeof measureAgents>>} figures @param {number} base milliseconds of `node -e 0` */
export function printAgents({ adapters, mastra }, base) {
  console.log("\nmicroseconds of an agent's adapter, in a fresh process and in a warm one\n");
  const width = Math.max(...adapters.map(({ runtime }) => runtime.length));
  console.log(
    [" ".repeat(width), ...["decode", "encode", "decode", "encode"].map((cell) => cell.padStart(8))].join("  "),
  );
  for (const { runtime, ...figures } of adapters) {
    const cells = Object.values(figures).map((microseconds) => microseconds.toFixed(1).padStart(8));
    console.log([runtime.padEnd(width), ...cells].join("  "));
  }
  console.log("\na call in an app with a Mastra agent, as a ratio to `node -e 0`\n");
  for (const [name, figure] of [
    ["the first call, which starts the process", mastra.first],
    ["one call, one policy", mastra.median],
    ["one call that no policy wants", mastra.bare],
  ]) {
    console.log(`${name.padEnd(42)}${figure.toFixed(1).padStart(8)} ms  ${(figure / base).toFixed(3)}`);
  }
}
