import os from "node:os";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { nodeBinaries, PROBED_LINES, TESTED_LINES } from "../support/nodes.ts";
import { RUN_FOLDER } from "../support/run-folder-setup.ts";
import { sweep } from "../support/sweep.ts";

/** What a policy does to the hook process, and what becomes of a call: all that could differ from one Node to another. */
const OF_THE_HOOK = [
  "test/hook/run/policy-run-bad-policies.test.ts",
  "test/hook/answer/compose-whole-calls.test.ts",
  "test/hook/enter/event.test.ts",
  "test/hook/answer-event-hard-times.test.ts",
  "test/hook/journal/journal.test.ts",
  "test/write/code-cache.test.ts",
  "test/hook/enter/event-large-events.test.ts",
  "test/hook/lifecycle-event.test.ts",
  "test/hook/run/confine-poison.test.ts",
  "test/hook/processes/workers-publishers.test.ts",
  "test/hook/verify/shards.test.ts",
  "test/hook/verify/load-state.test.ts",
];

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
    project("nodes-isolation", ["test/kernel/isolation-gaps.test.ts"]),
    ...others.map(({ major, path }) =>
      project(`nodes-${major}`, [...OF_THE_HOOK, "test/sweeps/capabilities.test.ts"], { DRWN_HOOK_NODE: path }),
    ),
  ];
}
