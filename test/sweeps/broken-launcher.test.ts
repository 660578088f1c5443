import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { targetsOf } from "../../src/agents/targets.ts";
import { layout } from "../../src/contract/layout.ts";
import { parseToml } from "../../src/kernel/format/toml.ts";
import { guardProject } from "../../src/mastra/index.ts";
import { writeProject } from "../../src/operations/project/write.ts";
import type { AgentId } from "../../src/policy/event.ts";
import { canaryCall } from "../../src/wiring/canary-call.ts";
import { committedCommand } from "../../src/wiring/launcher.ts";
import type { TestHost } from "../support/host.ts";
import { guardedProject } from "../support/projects.ts";

/** Where each agent keeps the line that it runs before a tool call. Claude Code starts the launcher itself: e2e covers that. */
const FILES: readonly [AgentId, (host: TestHost) => string][] = [
  ["arawn", ({ home }) => path.join(home, ".arawn/settings.json")],
  ["astrid", ({ home }) => path.join(home, ".astrid/hooks/drwn-pre-tool-call/HOOK.toml")],
  ["codex", ({ home }) => path.join(home, ".codex/hooks.json")],
  ["copilot-cli", ({ home }) => path.join(home, ".copilot/hooks/drwn.json")],
  ["cursor", ({ home }) => path.join(home, ".cursor/hooks.json")],
  ["gemini-cli", ({ home }) => path.join(home, ".gemini/settings.json")],
  ["polytoken", ({ home }) => path.join(home, ".config/polytoken/hooks.json")],
];

const BROKEN: readonly [string, (text: string) => string][] = [
  ["is empty", () => ""],
  ["is a script that ends well", () => "#!/bin/sh\nexit 0\n"],
  ["was cut off", (text) => `${text.slice(0, text.indexOf("unset NODE_OPTIONS"))}`],
  ["is nothing but zeros", (text) => "\0".repeat(text.length)],
];

async function guarded(runtime: AgentId, harm: (text: string) => string): Promise<TestHost> {
  const host = await guardedProject();
  await writeProject(host, { wiring: undefined, runtimes: [runtime] });
  const launcher = layout.launcher(host.drwnHome);
  fs.writeFileSync(launcher, harm(fs.readFileSync(launcher, "utf8")));
  return host;
}

function commandIn(value: unknown): string | undefined {
  if (typeof value === "string") return /\/bin\/hook' [a-z-]+ pre /u.test(value) ? value : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  return Object.values(value)
    .map(commandIn)
    .find((found) => found !== undefined);
}

function run(host: TestHost, { runtime, command, cwd }: { runtime: AgentId; command: string; cwd: string }) {
  const [target] = targetsOf([runtime]);
  const event = target && canaryCall(target.calls, { root: cwd, tool: "Bash", input: { command: "ls" } }).event;
  const folders = { CLAUDE_PROJECT_DIR: cwd, CURSOR_PROJECT_DIR: cwd, POLYTOKEN_PROJECT_DIR: cwd };
  const env = { PATH: process.env["PATH"], HOME: host.home, ...folders };
  return spawnSync("/bin/sh", ["-c", command], { cwd, env, input: JSON.stringify(event), encoding: "utf8" });
}

describe.each(BROKEN)("where the launcher %s", (_, harm) => {
  test.each(FILES)("%s is told that a call is blocked, in the project and elsewhere", async (runtime, fileOf) => {
    const host = await guarded(runtime, harm);
    const text = fs.readFileSync(fileOf(host), "utf8");
    const command = commandIn(fileOf(host).endsWith(".toml") ? parseToml(text, { file: "hook" }) : JSON.parse(text));
    if (command === undefined) throw new Error(`${fileOf(host)} has no command of drwn`);
    const inside = run(host, { runtime, command, cwd: host.cwd });
    // Astrid heeds only status 0.
    expect(runtime === "astrid" ? inside.stdout : `status ${inside.status}`).toMatch(/^(?:block: |status 2$)/u);
    expect(inside.stdout + inside.stderr).toMatch(/Run: drwn (?:write|doctor)/u);
    const outside = run(host, { runtime, command, cwd: host.home });
    expect(outside.stdout + outside.stderr).toContain("the hook does not work");
  });

  test.each<AgentId>(["claude-code", "polytoken"])(
    "the entry that a project commits for %s blocks",
    async (runtime) => {
      const host = await guarded(runtime, harm);
      const command = committedCommand(runtime);
      fs.mkdirSync(path.join(host.home, ".agents"), { recursive: true });
      if (!fs.existsSync(path.join(host.home, ".agents/drwn")))
        fs.symlinkSync(host.drwnHome, path.join(host.home, ".agents/drwn"));
      const { status, stderr } = run(host, { runtime, command, cwd: host.cwd });
      expect([status, stderr]).toEqual([2, expect.stringContaining("Run: drwn init")]);
    },
  );

  test("the plugin of OpenCode throws", async () => {
    const host = await guarded("opencode", harm);
    const plugin = path.join(host.home, ".config/opencode/plugins/drwn.js");
    const copy = path.join(host.home, "plugin.mjs");
    fs.copyFileSync(plugin, copy);
    const { Drwn } = await import(pathToFileURL(copy).href);
    const hooks = await Drwn({ directory: host.cwd });
    const call = { tool: "bash", sessionID: "s", callID: "c" };
    await expect(hooks["tool.execute.before"](call, { args: { command: "ls" } })).rejects.toThrow(/drwn write/u);
  });

  test("an app with an agent of Mastra refuses", async () => {
    const host = await guarded("mastra", harm);
    const guards = guardProject({ hook: layout.launcher(host.drwnHome), project: host.cwd });
    onTestFinished(guards.end);
    const context = { toolCallId: "c" };
    const metadata = { agentId: "a", agentName: "A" };
    const call = { toolName: "run", input: {}, context, metadata };
    expect(await guards.hooks.beforeToolCall(call)).toMatchObject({ proceed: false });
  });
});
