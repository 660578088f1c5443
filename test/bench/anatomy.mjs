import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { hookPrograms } from "../../.scripts/hook-programs.mjs";
import { hookProcess } from "./hook-table.mjs";
import { HARMFUL, hookRow } from "./rows.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RUNS = 25;

/** Functions of `src/runtime` by file, and what each does in the words of the table. Their times do not overlap. */
export const STEPS = {
  "enter/event.ts": { readWire: "event: read, parse", decodeCall: "event: decode" },
  "verify/read-ledger.ts": { loadLedger: "ledger: read, parse, check" },
  "verify/load-state.ts": { readPlan: "plan: read, digest, check" },
  "verify/consent.ts": { compareWithGrants: "plan against grants" },
  "journal/journal.ts": { openJournal: "journal: open", noteAnswer: "journal: build", writeJournal: "journal: write" },
  "verify/select.ts": { selectPolicies: "matchers" },
  "verify/prepare.ts": { preparePolicy: "policy: read, digest" },
  "run/stage.ts": { setStage: "guard, timers, confinement" },
  "answer/ask.ts": { askPolicy: "policy: load, call, read the answer" },
  "../hot/write.ts": { writeAll: "answer: write" },
};

const PROBE = `
var __start = process.hrtime.bigint(), __boot = process.uptime() * 1000, __steps = {};
function __timed(name, step) {
  return function (...given) {
    const begun = process.hrtime.bigint();
    try { return step.apply(this, given); } finally {
      __steps[name] = (__steps[name] ?? 0) + Number(process.hrtime.bigint() - begun) / 1e6;
    }
  };
}
{
  const { reallyExit } = process, { writeSync } = require("node:fs");
  process.reallyExit = (code) => {
    const all = Number(process.hrtime.bigint() - __start) / 1e6;
    writeSync(2, "anatomy " + JSON.stringify({ boot: __boot, all, steps: __steps }) + "\\n");
    reallyExit.call(process, code);
  };
}
`;

/**
 * Where the time of one event goes, inside the hook process: the least of many runs for each step.
 * @param {ReturnType<typeof import("./world.mjs").makeWorld>} world
 */
export async function measureAnatomy(world) {
  const hook = path.join(world.env.DRWN_HOME, "bin/probed.cjs");
  await buildProbed(hook);
  const { program, args } = hookProcess(world, process.execPath, { hook });
  const { stdin, cwd, env } = hookRow("", world, HARMFUL);
  const least = new Map();
  for (let run = 0; run < RUNS; run++) {
    const { stderr } = spawnSync(program, args, { cwd, env, input: stdin, encoding: "utf8" });
    const [, text] = /^anatomy (.*)$/mu.exec(stderr) ?? [];
    if (text === undefined) throw new Error(`the hook process did not end as it should: ${stderr}`);
    const { boot, all, steps } = JSON.parse(text);
    const known = Object.values(steps).reduce((sum, step) => sum + step, 0);
    const figures = {
      "Node, up to our first line": boot,
      ...steps,
      "between the steps": all - known,
      "all of ours": all,
    };
    for (const [what, milliseconds] of Object.entries(figures)) {
      least.set(what, Math.min(least.get(what) ?? Number.POSITIVE_INFINITY, milliseconds));
    }
  }
  return [...least].map(([what, milliseconds]) => ({ what, milliseconds }));
}

/** @param {Awaited<ReturnType<typeof measureAnatomy>>} steps */
export function printAnatomy(steps) {
  console.log(`\nwhere the time of one event with one policy goes, the least of ${RUNS} runs, in ms\n`);
  const width = Math.max(...steps.map(({ what }) => what.length));
  for (const { what, milliseconds } of steps) {
    console.log(`${what.padEnd(width)}  ${milliseconds.toFixed(2).padStart(6)}`);
  }
}

/** The hook process as it is shipped, with a clock around each step. */
async function buildProbed(outfile) {
  const pending = new Set(Object.values(STEPS).flatMap((steps) => Object.keys(steps)));
  const probe = {
    name: "probe",
    setup({ onLoad }) {
      onLoad({ filter: /src\/(?:hot|runtime\/[a-z]+)\/[^/]+\.ts$/ }, ({ path: file }) => {
        const steps = Object.entries(STEPS[path.relative(path.join(ROOT, "src/runtime"), file)] ?? {});
        const text = fs.readFileSync(file, "utf8");
        const clocks = steps.map(([name, what]) => {
          if (new RegExp(`^(?:export )?function ${name}\\b`, "mu").test(text)) pending.delete(name);
          return `${name} = __timed(${JSON.stringify(what)}, ${name});`;
        });
        return { contents: [text, ...clocks].join("\n"), loader: "ts" };
      });
    },
  };
  const { options } = hookPrograms(ROOT).find(({ name }) => name === "hook-claude-code.cjs");
  await build({ ...options, outfile, banner: { js: PROBE }, plugins: [probe], logLevel: "error" });
  if (pending.size > 0)
    throw new Error(`the hook process has no function ${[...pending].join(", ")} where it is looked for`);
}
