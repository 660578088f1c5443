import fs from "node:fs";
import os from "node:os";
import { defineConfig } from "vitest/config";
import { longestFirst } from "../support/longest-first.ts";
import { OWN_PATH } from "../support/own-path.ts";
import { sweep } from "../support/sweep.ts";

/** The laws behind the three promises: they are in every sample. */
const LAWS = ["consent-laws", "faults", "hostile-shell", "one-law", "same-decisions", "wiring-laws"];

const names = fs
  .readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.ts"))
  .sort();
const isLaw = (name: string) => LAWS.includes(name.replace(".test.ts", ""));
const chosen = [
  ...names.filter(isLaw),
  ...sweep(
    names.filter((name) => !isLaw(name)),
    15,
  ),
];

/**
 * Long sweeps: `npm run test:deep` runs all of them; with DRWN_SWEEP_SEED set, the laws and another third of the rest
 * each day, in four minutes.
 */
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: chosen.map((name) => `test/sweeps/${name}`),
    passWithNoTests: true,
    // Most cases wait for processes of their own, and some for time to pass: one more worker than cores keeps all cores
    // busy.
    maxWorkers: os.availableParallelism() + 1,
    sequence: {
      sequencer: longestFirst([
        "faults.test.ts",
        "looping-observers.test.ts",
        "same-decisions.test.ts",
        "long-pages.test.ts",
      ]),
    },
    globalSetup: ["test/support/run-folder.ts"],
    setupFiles: ["test/support/setup.ts"],
    retry: 1,
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 600_000,
    hookTimeout: 120_000,
    env: { NODE_EXTRA_CA_CERTS: "", NO_COLOR: "1", PATH: OWN_PATH },
  },
});
