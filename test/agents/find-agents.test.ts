import { expect, test } from "vitest";
import { userEntryFiles } from "../../src/agents/find-agents.ts";
import { allTargets } from "../../src/agents/targets.ts";
import { testHost } from "../support/host.ts";

test("the file that is looked at for an entry is the one that the agent's target writes", () => {
  const host = testHost();
  const place = { host, root: host.home, wiring: "user", own: [], others: [], shared: "keep" } as const;

  const written = allTargets()
    .filter(({ isProjectOnly }) => isProjectOnly !== true)
    .map((target) => ({
      runtime: target.runtime,
      file: target.planHooks({ ...place, originalOf: () => undefined }).file,
    }));

  expect(userEntryFiles(host)).toEqual(written);
});
