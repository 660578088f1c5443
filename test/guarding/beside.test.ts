import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { writeProject } from "../../src/operations/project/write.ts";
import type { Runtime } from "../../src/policy/event.ts";
import { sharedCommand } from "../../src/wiring/launcher.ts";
import { writeTree } from "../support/cards.ts";
import type { TestHost } from "../support/host.ts";
import { guardedProject } from "../support/projects.ts";

const groups = (event: string, handler: object = { type: "command", command: "./hook.sh" }) =>
  JSON.stringify({ hooks: { [event]: [{ hooks: [handler] }] } });

const PROMPT = { type: "prompt", prompt: "is this right?" };
const SHARED = { type: "command", command: sharedCommand("claude-code") };
const FORGED = { type: "command", command: `${sharedCommand("claude-code")}; ./rewrite.sh` };
const COPILOT = JSON.stringify({ version: 1, hooks: { preToolUse: [{ type: "command", bash: "./hook.sh" }] } });
const PLUGIN = JSON.stringify({ version: 2, plugins: { "over@market": [{ installPath: "<home>/over" }] } });

const frontmatter = (line: string) =>
  `---\nname: a\n${line}\n  PreToolUse: [{ hooks: [{ type: command, command: ./hook.sh }] }]\n---\nDo it.\n`;

const ALIASED = "---\nname: &k hooks\n*k : {PreToolUse: [{*k : [{type: command, command: ./hook.sh}]}]}\n---\nDo it.\n";

type Row = readonly [runtime: Runtime, files: Record<string, string>, found: string | null];

/** Files below `~` are the user's; what is found, and in which file. */
const ROWS: readonly Row[] = [
  ["claude-code", { ".claude/settings.json": groups("PreToolUse") }, "project-hook-beside .claude/settings.json"],
  [
    "claude-code",
    { ".claude/settings.local.json": groups("PreToolUse") },
    "project-hook-beside .claude/settings.local.json",
  ],
  [
    "claude-code",
    { ".claude/settings.json": groups("PreToolUse", FORGED) },
    "project-hook-beside .claude/settings.json",
  ],
  ["claude-code", { ".claude/settings.json": groups("PreToolUse", SHARED) }, null],
  ["claude-code", { ".claude/settings.json": groups("PreToolUse", PROMPT) }, null],
  ["claude-code", { ".claude/settings.json": groups("PostToolUse") }, null],
  ["claude-code", { "~/.claude/settings.json": groups("PreToolUse") }, "hook-beside ~/.claude/settings.json"],
  [
    "claude-code",
    {
      "~/.claude/settings.json": '{"enabledPlugins":{"over@market":true}}',
      "~/.claude/plugins/installed_plugins.json": PLUGIN,
      "~/over/hooks/hooks.json": groups("PreToolUse"),
    },
    "hook-beside ~/over/hooks/hooks.json",
  ],
  [
    "claude-code",
    { ".claude/skills/a/SKILL.md": frontmatter("hooks:") },
    "project-hook-beside .claude/skills/a/SKILL.md",
  ],
  [
    "claude-code",
    { ".claude/commands/a/b.md": frontmatter('"hooks" :') },
    "project-hook-beside .claude/commands/a/b.md",
  ],
  ["claude-code", { ".claude/agents/a.md": frontmatter('"hoo\\x6bs":') }, "project-hook-beside .claude/agents/a.md"],
  [
    "claude-code",
    { ".claude/commands/a/b/c/d/e/f.md": frontmatter("hooks:") },
    "project-hook-beside .claude/commands/a/b/c/d/e/f.md",
  ],
  ["claude-code", { ".claude/commands/a.md": ALIASED }, "project-hook-beside .claude/commands/a.md"],
  ["claude-code", { ".claude/commands/a.md": "---\nallowed-tools: Bash(a:*),Bash(b:*)\n---\nDo it.\n" }, null],
  ["claude-code", { ".claude/skills/a/SKILL.md": "---\nname: a\n---\nhooks: are told of here\n" }, null],
  ["claude-code", { "~/.claude/skills/a/SKILL.md": frontmatter("hooks:") }, "hook-beside ~/.claude/skills/a/SKILL.md"],
  [
    "claude-code",
    { "below/.claude/settings.json": groups("PreToolUse") },
    "project-hook-beside below/.claude/settings.json",
  ],
  ["opencode", { "below/.opencode/plugin/a.js": "" }, "plugin-beside below/.opencode/plugin/a.js"],
  ["codex", { ".codex/hooks.json": groups("PreToolUse") }, "project-hook-beside .codex/hooks.json"],
  ["codex", { "~/.codex/hooks.json": groups("PreToolUse") }, "hook-beside ~/.codex/hooks.json"],
  ["gemini-cli", { ".gemini/settings.json": groups("BeforeTool") }, "project-hook-beside .gemini/settings.json"],
  [
    "gemini-cli",
    { "~/.gemini/extensions/over/hooks/hooks.json": groups("BeforeTool") },
    "hook-beside ~/.gemini/extensions/over/hooks/hooks.json",
  ],
  ["copilot-cli", { ".github/hooks/over.json": COPILOT }, "project-hook-beside .github/hooks/over.json"],
  [
    "gemini-cli",
    { "~/.gemini/extensions/over/hooks/hooks.json": '{"hooks":{},"hooks":{}}' },
    "hook-beside ~/.gemini/extensions/over/hooks/hooks.json",
  ],
  ["opencode", { ".opencode/plugins/over.js": "" }, "plugin-beside .opencode/plugins/over.js"],
  ["opencode", { "~/.config/opencode/plugins/over.js": "" }, "hook-beside ~/.config/opencode/plugins/over.js"],
];

test.each(ROWS)(
  "in %s, status names hooks that can rewrite a call behind drwn's: %j",
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
    const { findings, guarding } = readStatus(host);
    const beside = findings.filter(({ code }) => code.endsWith("-beside"));
    expect(beside.map(({ code, subject }) => `${code} ${nameOf(host, subject)}`)).toEqual(
      found === null ? [] : [found],
    );
    const standing = found === null || found.startsWith("hook-beside") ? "guarded" : "unknown";
    // Nobody has told Codex to trust drwn's hook.
    expect(guarding.agents.map((agent) => agent.standing)).toEqual([runtime === "codex" ? "unguarded" : standing]);
  },
);

function nameOf(host: TestHost, file: string): string {
  const inProject = path.relative(fs.realpathSync(host.cwd), file);
  return inProject.startsWith("..") ? `~/${path.relative(fs.realpathSync(host.home), file)}` : inProject;
}
