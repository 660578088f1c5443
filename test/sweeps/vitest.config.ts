import os from "node:os";
import { defineConfig } from "vitest/config";
import { longestFirst } from "../support/longest-first.ts";
import { OWN_PATH } from "../support/own-path.ts";

/** Long sweeps: `npm run test:deep` runs all of them; with DRWN_SWEEP_SEED set, a sample that fits into five minutes. */
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/sweeps/**/*.test.ts"],
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
