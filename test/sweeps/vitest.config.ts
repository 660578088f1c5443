import os from "node:os";
import { defineConfig } from "vitest/config";
import { OWN_PATH } from "../support/own-path.ts";

/** Long sweeps: `npm run test:deep` runs all of them, with DRWN_SWEEP_SEED set a sample that fits ten minutes. */
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/sweeps/**/*.test.ts"],
    passWithNoTests: true,
    // Most cases wait for processes of their own: one worker for each core is not too many.
    maxWorkers: os.availableParallelism(),
    globalSetup: ["test/support/run-folder.ts"],
    setupFiles: ["test/support/setup.ts"],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    env: { NODE_EXTRA_CA_CERTS: "", NO_COLOR: "1", PATH: OWN_PATH },
  },
});
