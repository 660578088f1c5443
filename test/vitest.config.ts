import os from "node:os";
import { defineConfig } from "vitest/config";
import { longestFirst } from "./support/longest-first.ts";
import { OWN_PATH } from "./support/own-path.ts";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: ["test/e2e/**", "test/bench/**", "test/sweeps/**"],
    // Most cases wait for processes of their own, and some for time to pass: one worker more than there are cores keeps all cores busy.
    maxWorkers: os.availableParallelism() + 1,
    sequence: {
      sequencer: longestFirst([
        "docs/docs.test.ts",
        "card-test.test.ts",
        "catalogue.test.ts",
        "system.test.ts",
        "waiting.test.ts",
        "agent-publishing.test.ts",
        "kept-shards.test.ts",
        "standing.test.ts",
      ]),
    },
    // Every file of a worker has the same modules: to load them for each costs a quarter of the whole.
    isolate: false,
    globalSetup: ["test/support/run-folder.ts"],
    setupFiles: ["test/support/setup.ts"],
    // A machine may be busy for a moment. `.scripts/summary.mjs` names each row that passed only when it was tried again.
    retry: 1,
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { NODE_EXTRA_CA_CERTS: "", NO_COLOR: "1", PATH: OWN_PATH },
  },
});
