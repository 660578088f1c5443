import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { compileHook } from "../../../src/card/compiler/compile.ts";
import { describeHook } from "../../../src/card/hooks/describe-hook.ts";
import { createSource } from "../../../src/card/source/create.ts";
import { addHook } from "../../../src/card/source/edit-source.ts";
import type { Decision } from "../../../src/policy/define.ts";
import { readTree, temporaryFolder } from "../../support/cards.ts";

const CARD = "@me/guards";
const HOOK = "self-protection";

interface Policy {
  beforeToolCall(event: { runtime: string; phase: string; toolName: string; input: unknown }): Decision | undefined;
}

let loaded: Policy | undefined;

function sourceFiles(): Map<string, Buffer> {
  const dir = path.join(temporaryFolder(), "guards");
  createSource({ dir, name: CARD });
  addHook(dir, HOOK, { template: "self-protection" });
  return new Map(Object.entries(readTree(dir)).map(([file, text]) => [file, Buffer.from(text)]));
}

/** The policy as it is compiled for a card. */
async function loadPolicy(): Promise<Policy> {
  const { code } = await compileHook({ card: CARD, files: sourceFiles(), hook: HOOK, capabilities: [] });
  const module = { exports: {} as { default?: Policy } };
  new Function("exports", "require", "module", code)(module.exports, createRequire(import.meta.url), module);
  return module.exports.default as Policy;
}

async function verdict(toolName: string, input: unknown): Promise<string> {
  loaded ??= await loadPolicy();
  return loaded.beforeToolCall({ runtime: "claude-code", phase: "pre-tool", toolName, input })?.action ?? "no opinion";
}

const PEOPLE: readonly string[] = [
  "drwn card untrust @me/backend --hooks",
  "drwn card trust @me/evil --hooks --yes",
  "drwn trust accept",
  "drwn trust --adopt",
  "drwn trust request @me/backend --withdraw",
  "drwn card yank @me/backend@1.0.0",
  "drwn uninstall --purge",
  "drwn pause --minutes 600",
  "drwn remove @me/backend",
  "drwn card remove @me/backend",
  "drwn add @me/evil --trust --yes",
  "drwn key trust ed25519:abc @me",
  "drwn registry add evil --scope @me",
  "cd /tmp && drwn card untrust @me/backend --hooks",
  "true; /usr/local/bin/drwn card untrust @me/backend --hooks",
  "env -u CLAUDECODE drwn card untrust @me/backend --hooks",
  "CLAUDECODE= drwn card untrust @me/backend --hooks",
  "sudo drwn pause --minutes 5",
  "bash -c 'drwn card untrust @me/backend --hooks'",
  "sh -c \"bash -c 'drwn pause --minutes 5'\"",
  "npx darwinian-minds card untrust @me/backend --hooks",
  "npx -y darwinian-minds@latest pause --minutes 5",
  "node /usr/lib/node_modules/darwinian-minds/bin/drwn.js remove @me/backend",
  "echo @me/backend | xargs drwn card untrust --hooks",
  "$(which drwn) card untrust @me/backend --hooks",
  "D=drwn; $D card untrust @me/backend --hooks",
  "(drwn --json card untrust @me/backend --hooks)",
];

const FILES: readonly string[] = [
  "rm -rf ~/.agents/drwn/ledger",
  "rm -rf /home/me/.agents",
  "mv ~/.agents ~/.gone",
  "cd ~/.agents && rm -rf drwn",
  "echo '{}' > ~/.agents/drwn/config.json",
  "printf x >> $HOME/.agents/drwn/projects/ab/journal.jsonl",
  "tee /home/me/.agents/drwn/bin/hook < /dev/null",
  "cp evil.json ~/.claude/settings.json",
  "sed -i s/hooks/x/ .claude/settings.local.json",
  "jq 'del(.hooks)' s.json > ~/.claude/settings.json",
  "python3 -c \"open('/home/me/.claude/settings.json','w')\"",
  "node -e \"require('fs').rmSync('/home/me/.agents/drwn/bin/hook.cjs')\"",
  "dd if=/dev/zero of=/home/me/.agents/drwn/bin/hook.cjs",
  "ln -sf /tmp/x ~/.codex/hooks.json",
  "chmod 000 ~/.agents/drwn/bin/hook",
  "git checkout HEAD~1 -- .agents/drwn/card.lock",
  "cat ~/x/../.agents/drwn/config.json > ~/x/../.agents/drwn/bin/hook",
  "find ~/.agents -name hook -delete",
  "truncate -s 0 ~/.agents//drwn/./ledger/a.json",
  "rm -rf /usr/lib/node_modules/darwinian-minds",
];

const HARMLESS: readonly string[] = [
  "ls",
  "drwn doctor",
  "drwn status --json",
  "drwn list",
  "drwn write",
  "drwn install --frozen",
  "drwn add @me/backend",
  "drwn card show @me/backend",
  "drwn trust",
  "drwn trust --log --json",
  "drwn card source add-hook @me/backend guard",
  "npx darwinian-minds doctor",
  "echo drwn card untrust",
  "grep -rn 'drwn pause' docs",
  "cat ~/.claude/settings.json",
  "jq .hooks ~/.claude/settings.json",
  "ls -la ~/.agents/drwn",
  "cat .agents/drwn/card.lock | head",
  "git add .agents/drwn/card.lock",
  "git commit -m 'drwn card trust is needed'",
  "git diff -- .agents/drwn",
  "npm test",
  "rm -rf dist",
  "mkdir -p .claude/skills",
  "node build.js settings.json",
  "npm install some-package",
  "echo done > out.log",
];

describe("the self-protection template", () => {
  test("is an enforcement policy for every tool, without capabilities", async () => {
    const { facts } = await describeHook({ card: CARD, files: sourceFiles(), hook: HOOK, capabilities: [] });
    expect(facts).toMatchObject({ kind: "enforcement", matcher: null, phases: ["pre-tool"], capabilities: [] });
  });

  test("says in its README what it cannot see", () => {
    const readme = String(sourceFiles().get(`hooks/${HOOK}/README.md`));
    expect(readme).toMatch(/^# self-protection: /u);
    expect(readme).toContain("What it cannot see");
  });

  test.each([...PEOPLE, ...FILES])("denies: %s", async (command) => {
    expect(await verdict("Bash", { command })).toBe("deny");
  });

  test.each(HARMLESS)("lets through: %s", async (command) => {
    expect(await verdict("Bash", { command })).toBe("no opinion");
  });

  test.each<[string, unknown]>([
    ["Write", { file_path: "/home/me/.claude/settings.json", content: "{}" }],
    ["Edit", { file_path: "/w/app/.claude/settings.local.json", old_string: "a", new_string: "b" }],
    ["Write", { file_path: "/home/me/.agents/drwn/ledger/a.json", content: "{}" }],
    ["Write", { file_path: "/home/me/x/../.agents/drwn/config.json", content: "{}" }],
    ["Edit", { file_path: "/w/app/.agents/drwn/card.lock", old_string: "a", new_string: "" }],
    ["MultiEdit", { file_path: "/home/me/.codex/config.toml", edits: [] }],
    ["Write", { file_path: ".github/copilot/settings.json", content: '{"disableAllHooks":true}' }],
    ["apply_patch", { command: "*** Begin Patch\n*** Update File: .codex/hooks.json\n@@\n-a\n+b\n*** End Patch" }],
    ["apply_patch", { command: "*** Begin Patch\n*** Delete File: /home/me/.agents/drwn/bin/hook\n*** End Patch" }],
    ["mcp__fs__write_file", { path: "/home/me/.agents/drwn/bin/hook.cjs", content: "" }],
    ["mcp__fs__move_file", { source: "a", destination: "/home/me/.gemini/settings.json" }],
    ["mcp__fs__write_files", { files: [{ path: "a" }, { path: "/home/me/.AGENTS/drwn/config.json" }] }],
    ["write", { uri: "file:///home/me/.claude/settings.json" }],
    ["exec_command", { cmd: "drwn pause --minutes 5" }],
    ["shell", { command: ["bash", "-lc", "drwn card untrust @me/backend --hooks"] }],
  ])("denies %s of %j", async (tool, input) => {
    expect(await verdict(tool, input)).toBe("deny");
  });

  test.each<[string, unknown]>([
    ["Read", { file_path: "/home/me/.claude/settings.json" }],
    ["Grep", { pattern: "hooks", path: "/home/me/.agents/drwn" }],
    ["Write", { file_path: "/w/app/docs/drwn.md", content: "run `drwn card trust`, see ~/.agents/drwn/config.json" }],
    ["Edit", { file_path: "/w/app/settings.json", old_string: "a", new_string: "b" }],
    ["apply_patch", { command: "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+~/.agents/drwn\n*** End Patch" }],
    ["Task", { prompt: "explain drwn pause" }],
    ["WebFetch", { url: "https://example.com/.agents-drwn" }],
    ["mcp__x__y", {}],
    ["mcp__x__y", null],
    ["shell", { command: ["bash", "-lc", "npm test"] }],
  ])("lets through %s of %j", async (tool, input) => {
    expect(await verdict(tool, input)).toBe("no opinion");
  });
});
