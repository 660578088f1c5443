import path from "node:path";
import { describe, expect, test } from "vitest";
import { loadArawnHooks } from "../../../../src/dialects/arawn/read/load.ts";
import { ArawnDispatcher } from "../../../../src/dialects/arawn/run/dispatcher.ts";
import { temporaryFolder, writeTree } from "../../../support/cards.ts";
import { bash, pluginOf, SHELL_CALL } from "../world.ts";

const PLUGIN_ROOT = "$\u007bCLAUDE_PLUGIN_ROOT}";

function hooksJson(hooks: unknown): Record<string, string> {
  return { "hooks/hooks.json": JSON.stringify(hooks) };
}

describe("where hooks are found", () => {
  test("R29: two plugins that have hooks for one event are both asked", async () => {
    const root = temporaryFolder();
    const toml = `[[hooks]]\nevent = "SessionStart"\ncommand = "/bin/pwd"\n`;
    writeTree(root, {
      "home/.config/arawn/plugins/a/plugin.toml": toml,
      "plugins/b/plugin.toml": toml,
      "plugins/empty/x": "",
    });
    const { hooks, faults } = loadArawnHooks({ home: path.join(root, "home"), root });
    expect(faults).toEqual([]);
    const dispatcher = new ArawnDispatcher({ hooks, env: {} });
    const outcome = await dispatcher.dispatch("SessionStart", { session_id: "s" });
    expect(outcome).toEqual({ outcome: "info", output: `${root}/home/.config/arawn/plugins/a\n${root}/plugins/b` });
  });

  test("R30: a hooks.json in Claude Code's shape: groups with a matcher, the plugin's folder, prompts left out", async () => {
    const plugin = pluginOf({
      ".claude-plugin/plugin.json": JSON.stringify({ name: "p", hooks: "config/own.json" }),
      "config/own.json": JSON.stringify({
        hooks: {
          PreToolUse: [
            {
              matcher: "sh*",
              hooks: [
                { type: "prompt", prompt: "?" },
                { command: `${PLUGIN_ROOT}/no.sh`, timeout: 5 },
              ],
            },
          ],
        },
      }),
      "no.sh": bash("echo no; exit 1"),
    });
    expect(plugin.hooks.map(({ command, toolMatch }) => [command, toolMatch])).toEqual([
      [path.join(plugin.folder, "no.sh"), "sh*"],
    ]);
    expect(plugin.faults.map(({ entry, what, isNote }) => [entry, what, isNote])).toEqual([
      ["hooks.PreToolUse[0].hooks[0]", "a hook of type prompt is not run", true],
      ["hooks.PreToolUse[0].hooks[1]", "its timeout is not used: a plugin's hook has 10 seconds", true],
    ]);
    expect(await plugin.dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual({ outcome: "block", reason: "no" });
    expect((await plugin.dispatcher.dispatch("PreToolUse", { tool: "read", params: {} })).outcome).toBe("allow");
  });

  test.each(["write|", "shell(rm", "shell)", "(rm)"])("the matcher %j of settings is refused", (matcher) => {
    const root = temporaryFolder();
    const hooks = { PreToolUse: [{ matcher, hooks: [{ command: "true" }] }] };
    writeTree(root, { ".arawn/settings.json": JSON.stringify({ hooks }) });
    const { hooks: loaded, faults } = loadArawnHooks({ home: null, root });
    expect(loaded).toEqual([]);
    expect(faults.map(({ field, isNote }) => [field, isNote])).toEqual([["matcher", false]]);
  });

  test("hooks of settings are scripts: exit code 2 blocks, another one does not, the deadline does", async () => {
    const root = temporaryFolder();
    const entries = (matcher: string, command: string, timeout = 5) => ({
      matcher,
      hooks: [{ type: "command", command, timeout }],
    });
    writeTree(root, {
      ".arawn/settings.json": JSON.stringify({
        model: "x",
        hooks: {
          PreToolUse: [
            entries("write|shell(*rm -rf*)", "cat > input; echo never >&2; exit 2"),
            entries("edit", "echo broken; exit 1"),
            entries("slow", "sleep 60", 0.2),
          ],
        },
      }),
    });
    const { hooks, faults } = loadArawnHooks({ home: null, root });
    expect(faults).toEqual([]);
    const dispatcher = new ArawnDispatcher({ hooks, env: { PATH: process.env["PATH"] } });
    const ask = async (tool: string, params = {}) => dispatcher.dispatch("PreToolUse", { tool, params });
    expect(await ask("shell", { command: "rm -rf /" })).toEqual({ outcome: "block", reason: "never" });
    expect(await ask("shell", { command: "ls" })).toEqual({ outcome: "allow" });
    expect(await ask("write")).toEqual({ outcome: "block", reason: "never" });
    expect(await ask("edit")).toEqual({ outcome: "allow" });
    expect(await ask("slow")).toEqual({ outcome: "block", reason: "the hook `sleep 60` timed out after 0.2 s" });
    // Too late is a no of its own, and no error.
    const lax = new ArawnDispatcher({ hooks, onError: "allow", env: { PATH: process.env["PATH"] } });
    expect((await lax.dispatch("PreToolUse", { tool: "slow", params: {} })).outcome).toBe("block");
  });
});

const TOML: [what: string, toml: string, entry: string, field: string | null, why: RegExp][] = [
  ["TOML that is not TOML", "[[hooks]\n", "the file", null, /line 1, column \d+: expected TOML/u],
  [
    "an unknown event",
    `[[hooks]]\nevent = "Before"\ncommand = "x"`,
    "[[hooks]] 1",
    "event",
    /`Before` isn't an event/u,
  ],
  ["no event", `[[hooks]]\ncommand = "x"`, "[[hooks]] 1", "event", /missing/u],
  ["no command", `[[hooks]]\nevent = "Stop"`, "[[hooks]] 1", "command", /missing/u],
  ["a command that isn't text", `[[hooks]]\nevent = "Stop"\ncommand = 3`, "[[hooks]] 1", "command", /should be text/u],
  ["an unknown key", `[[hooks]]\nevent = "Stop"\ncommand = "x"\nshell = true`, "[[hooks]] 1", "shell", /unknown/u],
  ["hooks that are no tables", `hooks = ["x"]`, "[[hooks]] 1", null, /should be a table/u],
  ["hooks that are no list", `hooks = "x"`, "hooks", null, /should be/u],
];

const JSON_FILES: [what: string, value: unknown, entry: string, field: string | null, why: RegExp][] = [
  ["a list", [], "the file", null, /should be an object/u],
  ["no hooks", {}, "hooks", null, /should be/u],
  ["an unknown event", { hooks: { Before: [] } }, "hooks.Before", null, /isn't an event/u],
  ["groups that are no list", { hooks: { Stop: {} } }, "hooks.Stop", null, /should be a list/u],
  ["a group without hooks", { hooks: { Stop: [{}] } }, "hooks.Stop[0]", "hooks", /missing/u],
  ["an unknown key of a group", { hooks: { Stop: [{ hooks: [], x: 1 }] } }, "hooks.Stop[0]", "x", /unknown/u],
  [
    "a command without command",
    { hooks: { Stop: [{ hooks: [{}] }] } },
    "hooks.Stop[0].hooks[0]",
    "command",
    /missing/u,
  ],
  [
    "an unknown type",
    { hooks: { Stop: [{ hooks: [{ type: "magic" }] }] } },
    "hooks.Stop[0].hooks[0]",
    "type",
    /magic/u,
  ],
  [
    "a matcher that isn't a glob",
    { hooks: { PreToolUse: [{ matcher: "[a", hooks: [{ command: "x" }] }] } },
    "hooks.PreToolUse[0].hooks[0]",
    "matcher",
    /not closed/u,
  ],
  ["a flat entry without event", { hooks: [{ command: "x" }] }, "hooks[0]", "event", /missing/u],
];

describe("files that are refused: file, entry and field are named, and none of their hooks is loaded", () => {
  test.each(TOML)("plugin.toml with %s", (_, toml, entry, field, why) => {
    const good = `[[hooks]]\nevent = "Stop"\ncommand = "good"\n`;
    const { hooks, faults, folder } = pluginOf({
      "plugin.toml": toml.startsWith("[[hooks]]\n") ? `${toml}\n${good}` : toml,
    });
    expect(hooks).toEqual([]);
    const file = path.join(folder, "plugin.toml");
    expect(faults).toEqual([{ file, entry, field, what: expect.stringMatching(why), isNote: false }]);
  });

  test.each(JSON_FILES)("hooks.json with %s", (_, value, entry, field, why) => {
    const { hooks, faults, folder } = pluginOf(hooksJson(value));
    expect(hooks).toEqual([]);
    const file = path.join(folder, "hooks/hooks.json");
    expect(faults).toEqual([{ file, entry, field, what: expect.stringMatching(why), isNote: false }]);
  });

  test("a plugin.json that leads out of the plugin", () => {
    const { faults } = pluginOf({ ".claude-plugin/plugin.json": JSON.stringify({ hooks: "../other.json" }) });
    expect(faults.map(({ field, what }) => [field, what])).toEqual([["hooks", "should name files of the plugin"]]);
  });
});

describe("handlers that misbehave", () => {
  test("one that writes 100 MB is heard to the end, and what it says is cut", async () => {
    const { dispatcher } = pluginOf({
      "plugin.toml": `[[hooks]]\nevent = "PreToolUse"\ncommand = "./loud.sh"\n`,
      "loud.sh": bash("head -c 100000000 /dev/zero | tr '\\0' x; exit 1"),
    });
    const outcome = await dispatcher.dispatch("PreToolUse", SHELL_CALL);
    expect(outcome).toEqual({ outcome: "block", reason: "x".repeat(65_536) });
  });

  test("one that is killed by a signal blocks", async () => {
    const { dispatcher } = pluginOf({
      "plugin.toml": `[[hooks]]\nevent = "PreToolUse"\ncommand = "./dies.sh"\n`,
      "dies.sh": bash("kill -SEGV $$"),
    });
    const outcome = await dispatcher.dispatch("PreToolUse", SHELL_CALL);
    expect(outcome).toEqual({ outcome: "block", reason: "the hook `./dies.sh` ended by SIGSEGV and gave no reason" });
  });
});
