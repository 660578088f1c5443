import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { targetsOf } from "../../../src/agents/targets.ts";
import { initProject } from "../../../src/operations/project/init.ts";
import { AGENT_IDS, type AgentId } from "../../../src/policy/event.ts";
import { readConfig } from "../../../src/project/config.ts";
import { testHost } from "../../support/host.ts";

/** Folders of the machine, programs on PATH, and what the project itself has. */
const SIGNS: readonly [AgentId, "home" | "cwd" | "PATH", string][] = [
  ["arawn", "home", ".config/arawn"],
  ["arawn", "PATH", "arawn"],
  ["astrid", "home", ".astrid"],
  ["astrid", "PATH", "astrid"],
  ["claude-code", "home", ".claude"],
  ["claude-code", "PATH", "claude"],
  ["codex", "home", ".codex"],
  ["codex", "PATH", "codex"],
  ["copilot-cli", "home", ".copilot"],
  ["copilot-cli", "PATH", "copilot"],
  ["cursor", "home", ".cursor"],
  ["cursor", "PATH", "cursor-agent"],
  ["gemini-cli", "home", ".gemini"],
  ["gemini-cli", "PATH", "gemini"],
  ["kilo", "home", ".config/kilo"],
  ["kilo", "home", ".local/share/kilo"],
  ["kilo", "PATH", "kilo"],
  ["mastra", "cwd", "node_modules/@mastra/core"],
  ["opencode", "home", ".config/opencode"],
  ["opencode", "home", ".local/share/opencode"],
  ["opencode", "PATH", "opencode"],
  ["polytoken", "home", ".config/polytoken"],
  ["polytoken", "PATH", "polytoken"],
  ["pi", "home", ".pi/agent"],
  ["pi", "PATH", "pi"],
  ["qwen-code", "home", ".qwen"],
  ["qwen-code", "PATH", "qwen"],
];

/** A machine without any agent; its PATH is a folder of its own. */
function emptyMachine() {
  const host = testHost({ env: { PATH: "" } });
  fs.rmdirSync(path.join(host.home, ".claude"));
  const programs = path.join(host.home, "programs");
  return { ...host, env: { ...host.env, PATH: programs }, programs };
}

function leaveSign(host: ReturnType<typeof emptyMachine>, where: "home" | "cwd" | "PATH", sign: string): void {
  if (where !== "PATH") {
    fs.mkdirSync(path.join(host[where], sign), { recursive: true });
    return;
  }
  fs.mkdirSync(host.programs, { recursive: true });
  fs.writeFileSync(path.join(host.programs, sign), "", { mode: 0o755 });
}

test.each(SIGNS)("drwn init finds %s, of which there is a sign in %s: %s", (runtime, where, sign) => {
  const host = emptyMachine();
  leaveSign(host, where, sign);
  expect(initProject(host).runtimes).toEqual([runtime]);
});

test("drwn init finds all agents of which there are signs, and the project doesn't name them", () => {
  const host = emptyMachine();
  expect(targetsOf(AGENT_IDS).filter(({ runtime }) => !SIGNS.some(([one]) => one === runtime))).toEqual([]);
  for (const [, where, sign] of SIGNS) leaveSign(host, where, sign);
  expect(initProject(host).runtimes.sort()).toEqual([...new Set(SIGNS.map(([one]) => one))].sort());
  expect(readConfig(host.cwd).runtimes).toBeUndefined();
});

test.each([
  ["a folder of the project", "cwd", ".claude"],
  ["a folder of the project", "cwd", ".codex"],
] as const)("%s is no sign that the agent is on this machine: in the %s, %s", (_, where, sign) => {
  const host = emptyMachine();
  leaveSign(host, where, sign);
  expect(initProject(host).runtimes).toEqual([]);
});

test("a file that nobody may run, and a folder, are no programs", () => {
  const host = emptyMachine();
  fs.mkdirSync(path.join(host.programs, "claude"), { recursive: true });
  fs.writeFileSync(path.join(host.programs, "codex"), "", { mode: 0o644 });
  expect(initProject(host).runtimes).toEqual([]);
});
