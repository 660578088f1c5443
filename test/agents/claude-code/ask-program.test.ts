import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readClaudeVersion } from "../../../src/agents/claude-code/ask.ts";
import { temporaryFolder } from "../../support/cards.ts";

const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;

test("a Claude Code that is not on PATH keeps no process waiting", async () => {
  const before = timers();
  for (const env of [{ PATH: temporaryFolder() }, {}]) expect(await readClaudeVersion(env)).toBeUndefined();
  expect(timers()).toBe(before);
});

test.each([
  ["sleep 60", undefined],
  ["sleep 60 | cat", undefined],
  ["sleep 60 & echo 2.1.100", [2, 1, 100]],
])(
  "a `claude` that runs `%s` isn't waited for",
  async (line, version) => {
    const folder = temporaryFolder();
    fs.writeFileSync(path.join(folder, "claude"), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    const PATH = [folder, process.env["PATH"]].join(path.delimiter);
    expect(await readClaudeVersion({ PATH }, 2_000)).toEqual(version);
  },
  20_000,
);
