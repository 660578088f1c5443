import os from "node:os";
import type { TestProjectInlineConfiguration } from "vitest/config";

/** The real agents, offline. */
export const e2e: TestProjectInlineConfiguration = {
  test: {
    name: "e2e",
    include: ["test/e2e/**/*.test.ts"],
    globalSetup: ["test/e2e/setup.ts"],
    // A case starts native programs and waits for them and for the model, so it uses one core, not all.
    maxWorkers: os.availableParallelism(),
    sequence: { groupOrder: 2 },
    // Each case begins with commands in the worker's own process, which all files share.
    isolate: false,
    retry: 1,
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    env: { NODE_EXTRA_CA_CERTS: "", NO_COLOR: "1" },
  },
};
