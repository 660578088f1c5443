import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { targetsOf } from "../../src/agents/targets.ts";
import { initProject } from "../../src/operations/project/init.ts";
import { RUNTIMES, type Runtime } from "../../src/policy/event.ts";
import { DEFAULT_RUNTIMES, readConfig } from "../../src/project/config.ts";
import { testHost } from "../support/host.ts";

const SIGNS: readonly [Runtime, "home" | "cwd", string][] = [
  ["arawn", "home", ".config/arawn"],
  ["arawn", "cwd", ".arawn"],
  ["astrid", "home", ".astrid"],
  ["claude-code", "home", ".claude"],
  ["claude-code", "cwd", ".claude"],
  ["codex", "home", ".codex"],
  ["codex", "cwd", ".codex"],
  ["copilot-cli", "home", ".copilot"],
  ["copilot-cli", "cwd", ".github/copilot"],
  ["cursor", "home", ".cursor"],
  ["cursor", "cwd", ".cursor"],
  ["gemini-cli", "home", ".gemini"],
  ["gemini-cli", "cwd", ".gemini"],
  ["mastra", "cwd", "node_modules/@mastra/core"],
  ["opencode", "home", ".config/opencode"],
  ["opencode", "cwd", ".opencode"],
  ["polytoken", "home", ".config/polytoken"],
  ["polytoken", "cwd", ".polytoken"],
];

test.each(SIGNS)("drwn init names %s, of which there is a sign in the %s: %s", (runtime, where, sign) => {
  const host = testHost();
  fs.mkdirSync(path.join(host[where], sign), { recursive: true });
  expect(initProject(host).runtimes).toEqual([runtime]);
  expect(readConfig(host.cwd).runtimes).toEqual([runtime]);
});

test("drwn init names all agents of which there are signs, and none where there are none", () => {
  const host = testHost();
  expect(targetsOf(RUNTIMES).filter(({ runtime }) => !SIGNS.some(([one]) => one === runtime))).toEqual([]);
  for (const [, where, sign] of SIGNS) fs.mkdirSync(path.join(host[where], sign), { recursive: true });
  expect(initProject(host).runtimes.sort()).toEqual([...new Set(SIGNS.map(([one]) => one))].sort());
  const empty = testHost();
  expect(initProject(empty).runtimes).toEqual(DEFAULT_RUNTIMES);
  expect(readConfig(empty.cwd).runtimes).toBeUndefined();
});
