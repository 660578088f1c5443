import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/e2e/**/*.test.ts"],
    globalSetup: ["test/e2e/setup.ts"],
    // Every case starts several native programs of its own: side by side they only make each other slow.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    env: { NODE_EXTRA_CA_CERTS: "", NO_COLOR: "1" },
  },
});
