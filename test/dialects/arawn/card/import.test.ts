import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { describeEventCoverage } from "../../../../src/agents/event-coverage.ts";
import { planPlugin } from "../../../../src/dialects/arawn/agent/target.ts";
import { importArawn } from "../../../../src/dialects/arawn/card/import.ts";
import { applyChanges } from "../../../../src/wiring/changes.ts";
import { temporaryFolder, writeTree } from "../../../support/cards.ts";
import { bash, pluginOf } from "../world.ts";

const GUARD = bash('case "$(cat)" in *rm*) echo no rm; exit 1;; esac');

function whatOf(place: string) {
  const { hooks, differences } = importArawn(place, describeEventCoverage);
  return { hooks, differences: differences.map(({ hook, line, what }) => [hook, line, what]) };
}

describe("hooks of Arawn as hooks of a card", () => {
  test("a script becomes a handler.json with the script beside it, and what differs is said", () => {
    const { folder } = pluginOf({
      "plugin.toml": `# a plugin\n\n[[hooks]]\nevent = "PreToolUse"\ntool_match = "shell*"\nmatch_pattern = "rm +-r"\ncommand = "./hooks/no-rm.sh"\n`,
      "hooks/no-rm.sh": GUARD,
    });
    const { hooks, differences } = whatOf(folder);
    expect(hooks.map(({ name, capabilities, policy }) => [name, capabilities, policy])).toEqual([
      ["no-rm", ["env", "exec"], undefined],
    ]);
    const files = hooks[0]?.files ?? {};
    expect(Object.keys(files)).toEqual(["handler.json", "no-rm.sh"]);
    expect(files["no-rm.sh"]).toBe(GUARD);
    expect(JSON.parse(String(files["handler.json"]))).toEqual({
      event: "tool.before",
      policyKind: "enforcement",
      matcher: "shell*",
      inputPattern: "rm +-r",
      timeoutMs: 10_000,
      speaks: "arawn",
      handler: { type: "command", command: "bash", script: "no-rm.sh" },
    });
    expect(differences).toEqual([
      ["no-rm", 3, "its event is tool.before; active on: every agent that drwn guards"],
      ["no-rm", 3, expect.stringContaining("`shell*` is compared with Arawn's own names")],
      ["no-rm", 3, expect.stringContaining("without ARAWN_PLUGIN_DIR")],
      ["no-rm", 3, expect.stringContaining("have 9 seconds together")],
      ["no-rm", 3, expect.stringContaining("its match_pattern is looked for in the input as the agent")],
    ]);
  });

  test.each<[string, string, Record<string, string>, RegExp]>([
    ["an event of Arawn alone", `event = "FileChanged"\ncommand = "./x.sh"`, { "x.sh": GUARD }, /no card has hooks/u],
    [
      "a filter on what an event does not have",
      `event = "Stop"\ntool_match = "*"\ncommand = "./x.sh"`,
      { "x.sh": GUARD },
      /never runs/u,
    ],
    [
      "what asks drwn",
      `event = "Stop"\ncommand = "./x.sh"`,
      { "x.sh": bash("drwn hook run --dialect arawn") },
      /it asks drwn/u,
    ],
    ["a program", `event = "PreToolUse"\ncommand = "./x"`, { x: "\u007fELF\0" }, /isn't a script/u],
    ["a file that is gone", `event = "PreToolUse"\ncommand = "./x"`, {}, /there is no file/u],
    ["a script that does not say who runs it", `event = "PreToolUse"\ncommand = "./x"`, { x: "exit 1" }, /first line/u],
    [
      "a script that nothing starts",
      `event = "PreToolUse"\ncommand = "./x"`,
      { x: "#!/bin/sh\r\nexit 1\r\n" },
      /carriage/u,
    ],
    [
      "options that nothing splits",
      `event = "PreToolUse"\ncommand = "./x"`,
      { x: "#!/usr/bin/env bash -e\n" },
      /the options `-e`/u,
    ],
    ["another interpreter", `event = "PreToolUse"\ncommand = "./x"`, { x: "#!/usr/bin/awk -f\n" }, /run by awk/u],
    [
      "options of an interpreter",
      `event = "PreToolUse"\ncommand = "./x"`,
      { x: "#!/bin/bash -eis\n" },
      /the options `-eis`/u,
    ],
    [
      "a glob that drwn has not",
      `event = "PreToolUse"\ntool_match = "[!ab]x"\ncommand = "./x"`,
      { x: GUARD },
      /cannot be in a card/u,
    ],
    [
      "a glob that means other things",
      `event = "PreToolUse"\ntool_match = "a|b"\ncommand = "./x"`,
      { x: GUARD },
      /something else/u,
    ],
  ])("%s is not imported, and that is said", (_, entry, files, why) => {
    const { folder } = pluginOf({ "plugin.toml": `[[hooks]]\n${entry}\n`, ...files });
    const { hooks, differences } = whatOf(folder);
    expect(hooks).toEqual([]);
    expect(differences).toEqual([[null, 1, expect.stringMatching(why)]]);
  });

  test("a hooks.json: entries by their line, prompts left out, scripts that look for files beside themselves", () => {
    const { folder } = pluginOf({
      "hooks/hooks.json": JSON.stringify(
        {
          hooks: {
            PostToolUse: [{ hooks: [{ type: "prompt", prompt: "?" }, { command: "hooks/log.sh" }] }],
          },
        },
        null,
        2,
      ),
      "hooks/log.sh": bash('cat >> "$ARAWN_PLUGIN_DIR/log"'),
    });
    const { hooks, differences } = whatOf(path.join(folder, "hooks/hooks.json"));
    expect(hooks.map(({ name }) => name)).toEqual(["log"]);
    expect(JSON.parse(String(hooks[0]?.files?.["handler.json"]))).toMatchObject({
      event: "tool.after",
      policyKind: "observer",
    });
    expect(differences).toContainEqual([
      "log",
      10,
      "its script looks for the place where it is, and in a card it has none",
    ]);
    expect(differences).toContainEqual([
      "log",
      10,
      "the model is told what it prints, or the person sees it, in agents that take text then",
    ]);
    expect(differences).toContainEqual([null, 6, "not imported: a hook of type prompt is not run"]);
  });

  test("a script that Arawn cannot start, since it isn't executable, runs in a card, and that is said", () => {
    const { folder } = pluginOf({
      "plugin.toml": `[[hooks]]\nevent = "PreToolUse"\ncommand = "./x.sh"\n[[hooks]]\nevent = "PreToolUse"\ncommand = "./y.sh"\n`,
      "x.sh": GUARD,
      "y.sh": GUARD,
    });
    fs.chmodSync(path.join(folder, "x.sh"), 0o644);
    const said = whatOf(folder).differences.filter(([, , what]) => String(what).includes("executable"));
    expect(said).toEqual([["x", 1, expect.stringMatching(/cannot be started: .* \(chmod \+x x\.sh\)$/u)]]);
  });

  test.each<[first: string, options: string[] | undefined]>([
    ["#!/bin/sh -eu", ["-eu"]],
    ["#!/usr/bin/env -S bash -euo pipefail", ["-euo", "pipefail"]],
    ["#!/usr/bin/python3 -I", ["-I"]],
    ["#!/usr/bin/perl -w", ["-w"]],
    ["#!/usr/bin/env ruby", undefined],
  ])("the options of %s stay with the interpreter", (first, options) => {
    const entry = `[[hooks]]\nevent = "PreToolUse"\ncommand = "./x"\n`;
    const { hooks } = whatOf(pluginOf({ "plugin.toml": entry, x: `${first}\nexit\n` }).folder);
    expect(JSON.parse(String(hooks[0]?.files?.["handler.json"])).handler.options).toEqual(options);
  });

  test.each([
    ["[ab-d]x", "{a,b,c,d}x"],
    ["[a]*", "a*"],
    ["[a-][_9]", "{a,-}{_,9}"],
  ])("the classes of %s are alternatives: %s", (glob, matcher) => {
    const entry = `[[hooks]]\nevent = "PreToolUse"\ntool_match = "${glob}"\ncommand = "./x"\n`;
    const { hooks } = whatOf(pluginOf({ "plugin.toml": entry, x: GUARD }).folder);
    expect(JSON.parse(String(hooks[0]?.files?.["handler.json"]))).toMatchObject({ matcher });
  });

  test.each([
    [
      "#!/opt/venv/bin/python3",
      ["its first line names `/opt/venv/bin/python3`; in a card the first `python3` that is found runs it"],
    ],
    ["#!/usr/local/bin/python3", []],
    ["#!/usr/bin/env python3", []],
  ])(
    "a script that begins with %s is run by the interpreter of that name, and what may differ is said",
    (first, said) => {
      const { folder } = pluginOf({
        "plugin.toml": `[[hooks]]\nevent = "PreToolUse"\ncommand = "./x.py"\n`,
        "x.py": `${first}\nimport sys\n`,
      });
      const whats = whatOf(folder).differences.map(([, , what]) => String(what));
      expect(whats.filter((what) => what.includes("first line"))).toEqual(said);
    },
  );

  test("8: the files of its plugin that a script names are named, since they are not in the card", () => {
    const { folder } = pluginOf({
      "plugin.toml": `[[hooks]]\nevent = "PreToolUse"\ncommand = "./hooks/x.sh"\n`,
      "hooks/x.sh": bash(
        '. "$(dirname "$0")/lib/common.sh"; grep -f "$ARAWN_PLUGIN_DIR/deny.txt" ./link.txt "my list" # x.sh',
      ),
      "hooks/lib/common.sh": "",
      "deny.txt": "",
      "other.txt": "",
      "my list": "",
    });
    fs.symlinkSync("other.txt", path.join(folder, "link.txt"));
    const whats = whatOf(folder).differences.map(([, , what]) => String(what));
    expect(whats.filter((what) => what.startsWith("its script names"))).toEqual(
      ["deny.txt", "hooks/lib/common.sh", "link.txt", "my list"].map(
        (file) => `its script names \`${file}\` of the plugin's folder, which is not in the card`,
      ),
    );
  });

  test.each([
    ["SessionStart", "session.start"],
    ["SessionEnd", "session.end"],
    ["Stop", "turn.stop"],
    ["SubagentStarted", "subagent.start"],
  ])("a hook on %s is one on %s", (event, canonical) => {
    const { folder } = pluginOf({
      "plugin.toml": `[[hooks]]\nevent = "${event}"\ncommand = "./x.sh"\n`,
      "x.sh": GUARD,
    });
    const { hooks } = whatOf(folder);
    expect(JSON.parse(String(hooks[0]?.files?.["handler.json"]))).toMatchObject({
      event: canonical,
      policyKind: "observer",
    });
  });

  test.each([
    ["SessionStart", []],
    ["Stop", ["it sends the agent on 8 times in a row at most; its file does so 3 times"]],
  ])("the report of a hook on %s says how often it holds, where that differs", (event, expected) => {
    const { folder } = pluginOf({
      "plugin.toml": `[[hooks]]\nevent = "${event}"\ncommand = "./x.sh"\n`,
      "x.sh": GUARD,
    });
    const whats = whatOf(folder).differences.map(([, , what]) => String(what));
    expect(whats.filter((what) => what.includes("in a row"))).toEqual(expected);
  });

  test.each([
    ["PreToolUse", ["any end but the exit codes 0 and 2 blocks the call; Arawn lets it through"]],
    [
      "SubagentStop",
      [
        "nobody is told what it prints",
        "a command that is killed by a signal holds what it was asked about; Arawn goes on",
      ],
    ],
    ["Notification", ["nobody is told what it prints"]],
  ])("the report of a hook of settings on %s says what comes of its end and of its text", (event, expected) => {
    const root = temporaryFolder();
    const hooks = { [event]: [{ hooks: [{ type: "command", command: "exit 2" }] }] };
    writeTree(root, { ".arawn/settings.json": JSON.stringify({ hooks }) });
    const whats = whatOf(root).differences.map(([, , what]) => String(what));
    expect(whats.filter((what) => /^(?:the model is told|nobody is told|any end|a command that)/u.test(what))).toEqual(
      expected,
    );
  });

  test("hooks of settings stay lines of shell", () => {
    const root = temporaryFolder();
    const hooks = {
      PreToolUse: [{ matcher: "write|edit", hooks: [{ type: "command", command: "exit 2", timeout: 3 }] }],
    };
    writeTree(root, { ".arawn/settings.json": JSON.stringify({ hooks }) });
    const imported = whatOf(root);
    expect(JSON.parse(String(imported.hooks[0]?.files?.["handler.json"]))).toEqual({
      event: "tool.before",
      policyKind: "enforcement",
      matcher: "write|edit",
      timeoutMs: 3_000,
      speaks: "arawn-settings",
      handler: { type: "command", command: "sh", args: ["-c", "exit 2"] },
    });
  });

  test("what write made for Arawn is not imported back: it asks drwn", () => {
    const root = temporaryFolder();
    applyChanges(
      planPlugin({
        root,
        home: "/home/me/.agents/drwn",
        wanted: new Set(["pre-tool", "post-tool", "session.start", "turn.stop"]),
      }),
    );
    const { hooks, differences } = whatOf(path.join(root, "plugins/drwn"));
    expect(hooks).toEqual([]);
    expect(differences).toHaveLength(8);
    for (const [, , what] of differences) expect(what).toContain("it asks drwn");
  });

  test("files at fault are refused whole, with file, entry and field", () => {
    const { folder } = pluginOf({ "plugin.toml": `[[hooks]]\nevent = "Never"\ncommand = "x"\n` });
    expect(() => importArawn(folder, describeEventCoverage)).toThrow(
      /plugin\.toml, \[\[hooks\]\] 1, `event`: `Never` isn't an event/u,
    );
    expect(() => importArawn(temporaryFolder(), describeEventCoverage)).toThrow(/there are no hooks of Arawn/u);
    expect(() => importArawn("/nowhere/at/all", describeEventCoverage)).toThrow(/there is no/u);
  });
});
