import { expect, test } from "vitest";
import { readClaudeVersion } from "../../../src/agents/claude-code/program.ts";
import { temporaryFolder } from "../../support/cards.ts";

const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;

test("a Claude Code that is not on PATH keeps no process waiting", async () => {
  const before = timers();
  expect(await readClaudeVersion({ PATH: temporaryFolder() })).toBeUndefined();
  expect(timers()).toBe(before);
});
