import os from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { e2e } from "./test/e2e/project.ts";
import { nodes } from "./test/nodes/project.ts";
import { longestFirst } from "./test/support/longest-first.ts";
import { OWN_PATH } from "./test/support/own-path.ts";
import { RUN_FOLDER } from "./test/support/run-folder-setup.ts";
import { sweeps } from "./test/sweeps/project.ts";

const unit: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: "unit",
    include: ["test/**/*.test.ts"],
    exclude: ["test/e2e/**", "test/bench/**", "test/sweeps/**"],
    ...RUN_FOLDER,
    env: { PATH: OWN_PATH },
  },
};

/**
 * All tests, in one project for each thing that somebody runs: `npm test` is the project `unit`. `npm run test:one -- FILE` finds the
 * project of the file. Projects with workers of their own can't run at the same time (`groupOrder`).
 */
export default defineConfig(async () => ({
  test: {
    // Most cases wait for processes of their own, and some for time to pass: one worker more than there are cores keeps all cores busy.
    maxWorkers: os.availableParallelism() + 1,
    sequence: {
      sequencer: longestFirst([
        "docs/docs.test.ts",
        "authoring/proving/test-card.test.ts",
        "catalogue.test.ts",
        "project/open/managed-host.test.ts",
        "operations/author/publish-agent-publishing.test.ts",
        "check/guarding-state.test.ts",
        "faults.test.ts",
        "looping-observers.test.ts",
        "same-decisions.test.ts",
        "long-pages.test.ts",
      ]),
    },
    // Every file of a worker has the same modules: to load them for each costs a quarter of the whole.
    isolate: false,
    // What hasn't changed since the last run isn't compiled again: half of the time of one file.
    experimental: { fsModuleCache: true },
    // A machine may be busy for a moment. `.scripts/summary.mjs` names each row that passed only when it was tried again.
    retry: 1,
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { NODE_EXTRA_CA_CERTS: "", NO_COLOR: "1" },
    projects: [unit, sweeps, e2e, ...(await nodes())],
  },
}));
