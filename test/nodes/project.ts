import os from "node:os";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { nodeBinaries, PROBED_LINES, TESTED_LINES } from "../support/nodes.ts";
import { RUN_FOLDER } from "../support/run-folder-setup.ts";
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

/**
 * The tests of the hook once more, with every other Node that drwn is tested on behind the launcher (with DRWN_SWEEP_SEED set one of them),
 * and the hostile policy on all of them. What is missing is installed with npm first, so they are made only for `npm run test:nodes`; what
 * cannot be had fails.
 */
export async function nodes(): Promise<TestProjectInlineConfiguration[]> {
  if (!process.env["DRWN_TEST_NODES"]) return [];
  const { found, missing } = await nodeBinaries({ majors: PROBED_LINES, mayInstall: true });
  for (const { major, reason } of missing) throw new Error(`Node ${major} is needed: ${reason}`);
  // npm has done its work, and Node starts four times slower with them: vitest's workers, too.
  delete process.env["NODE_EXTRA_CA_CERTS"];
  const others = sweep(
    found.filter(({ major, path }) => TESTED_LINES.includes(major) && path !== process.execPath),
    1,
  );
  const project = (
    name: string,
    include: string[],
    env: Record<string, string> = {},
  ): TestProjectInlineConfiguration => ({
    extends: true,
    test: { name, include, env, ...RUN_FOLDER, maxWorkers: os.availableParallelism(), sequence: { groupOrder: 3 } },
  });
  return [
    project("nodes-isolation", ["test/runtime/isolation.test.ts"]),
    ...others.map(({ major, path }) =>
      project(`nodes-${major}`, [...OF_THE_HOOK, "test/sweeps/capabilities.test.ts"], { DRWN_HOOK_NODE: path }),
    ),
  ];
}
