import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { askClaude } from "../../../src/agents/claude-code/ask.ts";
import { hookCommand } from "../../../src/wiring/launcher.ts";
import { readTree, temporaryFolder, writeTree } from "../../support/cards.ts";

/** Does what the real program does with a settings file: it lists every hook, and says nothing is wrong. */
const LOADS = `
import fs from "node:fs";
const settings = JSON.parse(fs.readFileSync(process.env.CLAUDE_CONFIG_DIR + "/settings.json", "utf8"));
fs.writeFileSync(SEEN, JSON.stringify({ settings, env: process.env, words: process.argv.slice(2) }));
const hooks = Object.values(settings.hooks).flat().flatMap((group) => group.hooks).map(({ command }) => ({ commandText: command }));
const answer = (request_id, response) => console.log(JSON.stringify({ type: "control_response", response: { request_id, response } }));
`;
const ALL = `${LOADS}answer("get_hooks_listing", { hooks }); answer("get_settings", { effective: settings });`;
const DROPS = `${LOADS}answer("get_hooks_listing", { hooks: [] }); answer("get_settings", { errors: [{ path: "tui", message: "no \\u001b[31mred" }] });`;
const DISABLED = `${LOADS}answer("get_hooks_listing", { hooks: hooks.map((hook) => ({ ...hook, disabled: true })) }); answer("get_settings", { errors: [] });`;

/** A version that doesn't know `PreSkillShellCommand`, and says which events it knows. */
const EARLIER = ALL.replace("{ hooks }", `{ hooks: hooks.slice(0, 2), eventCatalog: [{ name: "PreToolUse" }] }`);

function machine(script: string | null, settings: object = {}) {
  const home = temporaryFolder();
  const drwnHome = path.join(home, ".agents/drwn");
  const seen = path.join(home, "seen.json");
  const entry = {
    type: "command",
    command: hookCommand({ home: drwnHome, runtime: "claude-code", phase: "pre" }),
    onFailure: "block",
  };
  const text = JSON.stringify({
    ...settings,
    hooks: {
      PreToolUse: [{ hooks: [entry, { type: "command", command: "rm x" }] }],
      PreSkillShellCommand: [{ hooks: [entry] }],
    },
  });
  writeTree(home, { ".claude/settings.json": text });
  if (script !== null) {
    writeTree(home, { "bin/claude.mjs": script.replace("SEEN", JSON.stringify(seen)) });
    const start = `#!/bin/sh\nexec '${process.execPath}' '${home}/bin/claude.mjs' "$@"\n`;
    fs.writeFileSync(path.join(home, "bin/claude"), start, { mode: 0o755 });
  }
  const env = { PATH: path.join(home, "bin"), HOME: home, SECRET: "hunter2" };
  const host = { cwd: home, home, drwnHome, env };
  const file = path.join(home, ".claude/settings.json");
  return { home, seen, ask: async () => (await askClaude({ host, root: home, file, isAsked: true })).findings };
}

test("a Claude Code that loads drwn's entry has nothing to say", async () => {
  expect(await machine(ALL).ask()).toEqual([]);
});

test("a Claude Code that ignores the entry for an event that it doesn't have yet has nothing to say", async () => {
  expect(await machine(EARLIER).ask()).toEqual([]);
});

test.each<[string, string, object[]]>([
  ["says nothing of its events", EARLIER.replace("eventCatalog", "other"), [{ code: "settings-drop-hooks" }]],
  [
    "loads no hook",
    DROPS,
    [{ code: "settings-drop-hooks", severity: "error", message: expect.stringContaining("Claude Code says: tui: no") }],
  ],
  ["has hooks turned off", DISABLED, [{ code: "settings-drop-hooks", severity: "error" }]],
  [
    "prints what isn't an answer",
    `console.log("Please log in"); console.log("{");`,
    [{ code: "claude-not-checked", severity: "warning" }],
  ],
  ["crashes", "process.exit(70);", [{ code: "claude-not-checked", severity: "warning" }]],
])("a Claude Code that %s is said to be one", async (_, script, findings) => {
  expect(await machine(script).ask()).toMatchObject(findings);
});

test("a Claude Code that isn't on PATH wasn't asked", async () => {
  expect(await machine(null).ask()).toMatchObject([{ code: "agent-not-installed" }]);
});

test("Claude Code gets a copy without programs, addresses, variables and secrets, and leaves the person's files alone", async () => {
  const { home, seen, ask } = machine(ALL, {
    apiKeyHelper: "print-key",
    statusLine: { type: "command", command: "status", padding: 1 },
    env: { ANTHROPIC_AUTH_TOKEN: "hunter2", COUNT: 1 },
    permissions: { defaultMode: "plan" },
  });
  const before = readTree(path.join(home, ".claude"));
  await ask();
  expect(readTree(path.join(home, ".claude"))).toEqual(before);
  const { settings, env, words } = JSON.parse(fs.readFileSync(seen, "utf8"));
  expect(settings).toEqual({
    apiKeyHelper: "true",
    statusLine: { type: "command", command: "true", padding: 1 },
    env: { ANTHROPIC_AUTH_TOKEN: "", COUNT: 1 },
    permissions: { defaultMode: "plan" },
    hooks: {
      PreToolUse: [
        {
          hooks: [
            { type: "command", command: "/drwn/entry-0", onFailure: "block" },
            { type: "command", command: "true" },
          ],
        },
      ],
      PreSkillShellCommand: [{ hooks: [{ type: "command", command: "/drwn/entry-1", onFailure: "block" }] }],
    },
  });
  expect(JSON.stringify(env)).not.toContain("hunter2");
  expect(env.HOME).not.toBe(home);
  expect(words).toContain("--strict-mcp-config");
  expect(fs.existsSync(env.CLAUDE_CONFIG_DIR)).toBe(false);
});
