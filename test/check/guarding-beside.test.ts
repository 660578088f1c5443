import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { writeProject } from "../../src/operations/project/write.ts";
import type { AgentId } from "../../src/policy/event.ts";
import { committedCommand } from "../../src/wiring/launcher.ts";
import { writeTree } from "../support/cards.ts";
import type { TestHost } from "../support/host.ts";
import { guardedProject } from "../support/projects.ts";

const groups = (event: string, handler: object = { type: "command", command: "./hook.sh" }) =>
  JSON.stringify({ hooks: { [event]: [{ hooks: [handler] }] } });

const PROMPT = { type: "prompt", prompt: "is this right?" };
const SHARED = { type: "command", command: committedCommand("claude-code") };
const FORGED = { type: "command", command: `${committedCommand("claude-code")}; ./rewrite.sh` };
const COPILOT = JSON.stringify({ version: 1, hooks: { preToolUse: [{ type: "command", bash: "./hook.sh" }] } });
type Row = readonly [runtime: AgentId, files: Record<string, string>, found: string | null];

/** Files below `~` are the user's; what is found, and in which file. */
const ROWS: readonly Row[] = [
  ["claude-code", { ".claude/settings.json": groups("PreToolUse") }, "other-project-hook .claude/settings.json"],
  [
    "claude-code",
    { ".claude/settings.local.json": groups("PreToolUse") },
    "other-project-hook .claude/settings.local.json",
  ],
  [
    "claude-code",
    { ".claude/settings.json": groups("PreToolUse", FORGED) },
    "other-project-hook .claude/settings.json",
  ],
  ["claude-code", { ".claude/settings.json": groups("PreToolUse", SHARED) }, null],
  ["claude-code", { ".claude/settings.json": groups("PreToolUse", PROMPT) }, null],
  ["claude-code", { ".claude/settings.json": groups("PostToolUse") }, null],
  ["claude-code", { "~/.claude/settings.json": groups("PreToolUse") }, null],
  [
    "claude-code",
    { "below/.claude/settings.json": groups("PreToolUse") },
    "other-project-hook below/.claude/settings.json",
  ],
  ["opencode", { "below/.opencode/plugin/a.js": "" }, "other-plugin below/.opencode/plugin/a.js"],
  ["codex", { ".codex/hooks.json": groups("PreToolUse") }, "other-project-hook .codex/hooks.json"],
  ["codex", { "~/.codex/hooks.json": groups("PreToolUse") }, null],
  ["gemini-cli", { ".gemini/settings.json": groups("BeforeTool") }, "other-project-hook .gemini/settings.json"],
  ["pi", { ".pi/extensions/a.js": "" }, "other-plugin .pi/extensions/a.js"],
  ["qwen-code", { ".qwen/settings.json": groups("PreToolUse") }, "other-project-hook .qwen/settings.json"],
  ["copilot-cli", { ".github/hooks/over.json": COPILOT }, "other-project-hook .github/hooks/over.json"],
  ["opencode", { ".opencode/plugins/over.js": "" }, "other-plugin .opencode/plugins/over.js"],
  ["opencode", { "~/.config/opencode/plugins/over.js": "" }, null],
];

test.each(ROWS)(
  "in %s, status in a folder names hooks there that can rewrite a call behind drwn's: %j",
  async (runtime, files, found) => {
    const host = await guardedProject();
    const put = (isUsers: boolean) => {
      for (const [name, text] of Object.entries(files).filter(([name]) => name.startsWith("~/") === isUsers)) {
        writeTree(isUsers ? host.home : host.cwd, { [name.replace("~/", "")]: text.replace("<home>", host.home) });
      }
    };
    put(true);
    await writeProject(host, { wiring: undefined, runtimes: [runtime] });
    put(false);
    const [first = ""] = Object.keys(files);
    const there = first.startsWith("below/") ? host.at(path.join(host.cwd, "below")) : host;
    const { findings, guarding } = readStatus(there);
    const beside = findings.filter(({ code }) => code.startsWith("other-"));
    expect(beside.map(({ code, subject }) => `${code} ${nameOf(host, subject)}`)).toEqual(
      found === null ? [] : [found],
    );
    const state = found === null ? "guarded" : "unknown";
    // Nobody has told Codex to trust drwn's hook.
    expect(guarding.agents.map((agent) => agent.state)).toEqual([runtime === "codex" ? "unguarded" : state]);
  },
);

function nameOf(host: TestHost, file: string): string {
  const inProject = path.relative(fs.realpathSync(host.cwd), file);
  return inProject.startsWith("..") ? `~/${path.relative(fs.realpathSync(host.home), file)}` : inProject;
}
