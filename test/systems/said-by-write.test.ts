import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { toCardFiles } from "../../src/card/files.ts";
import { LEFT_OUT_FILE, readLeftOut } from "../../src/card/hooks/left-out.ts";
import CardShow from "../../src/cli/commands/card/show.ts";
import { renderWrite } from "../../src/cli/render/write.ts";
import { makeStyle } from "../../src/cli/terminal/style.ts";
import { importPolicies } from "../../src/operations/author/import-policies.ts";
import { IN_ANY_CARD } from "../../src/systems/importing/imported.ts";
import { readTree, type Tree, temporaryFolder, writeTree } from "../support/cards.ts";
import { runCommand } from "../support/cli.ts";
import { CARD } from "../support/projects.ts";
import { makeCard } from "./compare.ts";
import { DOCUMENTED } from "./documented.ts";

const SETTINGS = {
  hooks: { PostToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./log.sh a" }] }] },
};

/** The id of the hook at this place in a file. */
const idOf = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;

/** `makeCard` itself compares all that the import reports with what `write` says. */
test.each<[from: string, place: string, files: Tree, said: unknown[]]>([
  [
    "arawn",
    "plugins/guard",
    {
      "plugins/guard/plugin.toml": `[[hooks]]\nevent = "PreToolUse"\ncommand = "./a.sh"\n[[hooks]]\nevent = "PreToolUse"\ncommand = "./b.sh"\n[[hooks]]\nevent = "PreToolUse"\ntool_match = "[!a]*"\ncommand = "./b.sh"\n[[hooks]]\nevent = "FileChanged"\ncommand = "./b.sh"\n`,
      "plugins/guard/a.sh": '#!/bin/sh\ngrep -f "$ARAWN_PLUGIN_DIR/deny.txt" && exit 1; exit 0\n',
      "plugins/guard/b.sh": "#!/bin/sh\nexit 0\n",
      "plugins/guard/deny.txt": "rm\n",
    },
    [
      expect.stringMatching(
        /^differs from arawn: @me\/backend lacks 2 hooks of guard: \[\[hooks\]\] 3 \(plugin\.toml\): its tool_match .*; \[\[hooks\]\] 4 .*: no card has hooks on FileChanged$/u,
      ),
      "differs from arawn: @me/backend#a: its script names `deny.txt` of the plugin's folder, which is not in the card",
      "differs from arawn: @me/backend#a, b: it runs in the folder that the agent works in, and without ARAWN_PLUGIN_DIR; Arawn runs it in its plugin's folder",
    ],
  ],
  [
    "astrid",
    ".astrid",
    {
      ".astrid/hooks/HOOK.toml": `name = "slow"\nevent = "pre_tool_call"\ntimeout_secs = 90\n[handler]\ntype = "command"\ncommand = "./guard.sh"\n`,
      ".astrid/hooks/start/HOOK.toml": `name = "start"\nevent = "session_start"\n[handler]\ntype = "command"\ncommand = "true"\n`,
    },
    [
      "differs from astrid: @me/backend#start: it holds nothing: this event cannot be held",
      "differs from astrid: @me/backend#slow: it names `./guard.sh`, which does not come with the card: what is there when it runs counts",
    ],
  ],
  [
    "astrid",
    ".astrid",
    {
      ".astrid/hooks/hooks.toml": Array.from(
        { length: 25 },
        (_, at) =>
          `[[hooks]]\nid = "${idOf(at)}"\nevent = "notification"\n[hooks.handler]\ntype = "command"\ncommand = "true"\n`,
      ).join(""),
    },
    [`differs from astrid: @me/backend#notification: its id (${idOf(24)}) is not kept`],
  ],
  [
    "polytoken",
    ".polytoken/hooks.json",
    { ".polytoken/hooks.json": JSON.stringify([{ name: "more", event: "stop", handler: { bash: "exit 2" } }]) },
    [
      "differs from polytoken: @me/backend#more: what it prints on both outputs becomes one reason",
      "differs from polytoken: @me/backend#more: it keeps a turn going 8 times in a row at most, and once where its script fails",
    ],
  ],
  [
    "polytoken",
    ".polytoken/hooks.json",
    {
      ".polytoken/hooks.json": JSON.stringify([
        { name: "quiet", event: "pre_compaction", handler: { bash: "./quiet" } },
        { name: "note", event: "pre_compaction", handler: { bash: "exit 0" } },
      ]),
    },
    [
      "differs from polytoken: @me/backend#quiet, note: `suppress` ends the compaction as `cancel` does",
      `differs from polytoken: @me/backend#quiet, note: ${IN_ANY_CARD}`,
      "differs from polytoken: @me/backend#quiet, note: hooks on the same event may run at the same time; the first in their order that holds it speaks",
      "differs from polytoken: @me/backend#quiet: it names `./quiet`, which does not come with the card: what is there when it runs counts",
    ],
  ],
  [
    "hooker",
    ".claude/policies.rb",
    {
      ".claude/policies.rb": [
        'policy "x" do\n  on :PreToolUse, file: "a.rb"\n  inject "A.md", command: "date"\nend\n',
        'policy "y" do\n  on :PreToolUse, match: :git_push\n  gate\nend\n',
      ].join(""),
    },
    [
      "differs from hooker: @me/backend#x: a missing context file denies the call, hooker lets it through with a warning; paths (A.md) are meant from where the session was started",
      "differs from hooker: @me/backend#x: its program may run although a gate denies what it is about; hooker asks the gates first",
      "differs from hooker: @me/backend#x: the model is not told by `<hooker:matched>` which policies matched",
      "differs from hooker: @me/backend#x: it finds more: a field under each name that agents have for it, and a file as it is written and as the path that this comes to",
    ],
  ],
  [
    "codex",
    ".codex/hooks.json",
    { ".codex/hooks.json": JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "./more" }] }] } }) },
    ["differs from codex: @me/backend#more: `additionalContext` that it prints keeps the turn going; Codex drops it"],
  ],
  [
    "claude",
    ".claude/settings.json",
    { ".claude/settings.json": JSON.stringify(SETTINGS) },
    ["differs from claude: @me/backend#log: what it says after a call does not reach the agent"],
  ],
])("write says what a hook that came from %s does otherwise", async (from, place, files, said) => {
  const folder = temporaryFolder();
  writeTree(folder, files);
  const { written } = await makeCard(path.join(folder, place), from, ["claude-code"]);
  const printed: string[] = [];
  const out = (line = ""): void => void printed.push(line);
  const style = makeStyle(false);
  renderWrite(
    written,
    { out, talk: out, json: () => {}, raw: out, columns: 80, isRead: false, room: 80, style },
    {
      isDryRun: false,
      isVerbose: false,
      drwnHome: "/",
    },
  );
  expect(printed).toEqual(expect.arrayContaining(said));
});

test("a card of which every hook was left out says so, until a later import has them", async () => {
  const folder = temporaryFolder();
  const [broken, whole] = ["#!/usr/bin/awk -f\n", "#!/bin/sh -e\n"];
  writeTree(folder, { "plugin.toml": `[[hooks]]\nevent = "PreToolUse"\ncommand = "./x"\n`, x: broken });
  const { written, card, source } = await makeCard(folder, "arawn", ["claude-code"]);
  const said = { hook: "[[hooks]] 1 (plugin.toml)", why: expect.stringContaining("is run by awk") };
  const file = path.basename(folder);
  expect(written.leftOut).toEqual([{ card: CARD, from: "arawn", file, hooks: [said] }]);
  expect(JSON.stringify(written.leftOut)).not.toContain(path.dirname(folder));
  const shown = await runCommand(card, CardShow, CARD);
  expect(shown.stdout).toContain(`left out    [[hooks]] 1 (plugin.toml) of ${file} (arawn): `);
  writeTree(folder, { x: whole });
  await importPolicies(card, source, { file: folder, from: "arawn", dryRun: false });
  expect(JSON.parse(readTree(source)[LEFT_OUT_FILE] ?? "")).toEqual({ imports: [] });
});

test("a list of what was left out that cannot be read says just that", () => {
  const files = toCardFiles(new Map([[LEFT_OUT_FILE, Buffer.from('{"imports":[{}]}')]]));
  expect(readLeftOut(files)).toMatchObject([{ hooks: [{ hook: "which is not known" }] }]);
});

test.each(DOCUMENTED)("of %s a page says something", (_, page, said) => {
  const text = fs.readFileSync(path.join(import.meta.dirname, "../..", page), "utf8").replaceAll(/\s+/gu, " ");
  expect(text).toContain(said);
});
