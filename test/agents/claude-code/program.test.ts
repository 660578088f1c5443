import { expect, test } from "vitest";
import { readClaudeVersion } from "../../../src/agents/claude-code/program.ts";
import { temporaryFolder } from "../../support/cards.ts";

const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;

test("a Claude Code that is not on PATH keeps no process waiting", async () => {
  const before = timers();
  for (const env of [{ PATH: temporaryFolder() }, {}]) expect(await readClaudeVersion(env)).toBeUndefined();
  expect(timers()).toBe(before);
});
