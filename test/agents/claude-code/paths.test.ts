import { expect, test } from "vitest";
import { claudeSettingsFile, claudeSettingsRoot } from "../../../src/agents/claude-code/paths.ts";

test.each([
  [{}, "/home/me/.claude/settings.json", "/home/me"],
  [{ CLAUDE_CONFIG_DIR: "" }, "/p/settings.json", "/p"],
  [{ CLAUDE_CONFIG_DIR: ".claude" }, "/p/.claude/settings.json", "/p/.claude"],
  [{ CLAUDE_CONFIG_DIR: "/home/me/.config/claude" }, "/home/me/.config/claude/settings.json", "/home/me"],
  [{ CLAUDE_CONFIG_DIR: "/home/me" }, "/home/me/settings.json", "/home/me"],
  [{ CLAUDE_CONFIG_DIR: "/srv/claude" }, "/srv/claude/settings.json", "/srv/claude"],
  [{ CLAUDE_CONFIG_DIR: "/home/melanie/claude" }, "/home/melanie/claude/settings.json", "/home/melanie/claude"],
])("with %j the user's settings are %s, below %s", (env, file, root) => {
  const host = { env, cwd: "/p", home: "/home/me" };
  expect([claudeSettingsFile(host), claudeSettingsRoot(host)]).toEqual([file, root]);
});
