import os from "node:os";
import { defineConfig } from "vitest/config";
import { nodeBinaries, PROBED_LINES, TESTED_LINES } from "../support/nodes.ts";
import { sweep } from "../support/sweep.ts";

/** What a policy does to the hook process, and what becomes of a call: all that could differ from one Node to another. */
const OF_THE_HOOK = [
  "bad-policies",
  "composition",
  "events",
  "hard-times",
  "journal",
  "code-cache",
  "large-events",
  "moments",
  "poison",
  "publishers",
  "shards",
  "state",
].map((name) => `test/runtime/${name}.test.ts`);
const INCLUDED = [...OF_THE_HOOK, "test/sweeps/capabilities.test.ts"];

/**
 * The tests of the hook once more, with every other Node that drwn is tested on behind the launcher (with DRWN_SWEEP_SEED set one of them),
 * and the hostile policy on all of them. What is missing is installed with npm first; what cannot be had fails.
 */
export default defineConfig(async () => {
  const { found, missing } = await nodeBinaries({ majors: PROBED_LINES, mayInstall: true });
  for (const { major, reason } of missing) throw new Error(`Node ${major} is needed: ${reason}`);
  // npm has done its work, and Node starts four times slower with them: vitest's workers, too.
  delete process.env["NODE_EXTRA_CA_CERTS"];
  const others = sweep(
    found.filter(({ major, path }) => TESTED_LINES.includes(major) && path !== process.execPath),
    1,
  );
  const env = { NODE_EXTRA_CA_CERTS: "", NO_COLOR: "1" };
  return {
    test: {
      root: new URL("../..", import.meta.url).pathname,
      maxWorkers: os.availableParallelism(),
      isolate: false,
      globalSetup: ["test/support/run-folder.ts"],
      setupFiles: ["test/support/setup.ts"],
      retry: 1,
      expect: { poll: { timeout: 20_000 } },
      testTimeout: 120_000,
      hookTimeout: 120_000,
      projects: [
        { extends: true as const, test: { name: "isolation", include: ["test/runtime/isolation.test.ts"], env } },
        ...others.map(({ major, path }) => ({
          extends: true as const,
          test: { name: `Node ${major}`, include: INCLUDED, env: { ...env, DRWN_HOOK_NODE: path } },
        })),
      ],
    },
  };
});
