import path from "node:path";
import { expect, test } from "vitest";
import { toCardFiles } from "../../../src/card/files.ts";
import { LEFT_OUT_FILE, readLeftOut } from "../../../src/card/hooks/imported-file.ts";
import CardShow from "../../../src/cli/commands/card/show.ts";
import { IN_ANY_CARD } from "../../../src/dialects/importing/imported.ts";
import { importPolicies } from "../../../src/operations/author/import-policies.ts";
import { diagnoseProject } from "../../../src/operations/diagnose/diagnose.ts";
import { keptOf, makeCard } from "../../dialects/compare.ts";
import { readTree, type Tree, temporaryFolder, writeTree } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import { CARD } from "../../support/projects.ts";

const SETTINGS = {
  hooks: { PostToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./log.sh a" }] }] },
};

/** The id of the hook at this place in a file. */
const idOf = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;

/** `makeCard` itself compares all that the import reports with what the card keeps. */
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
      expect.stringMatching(/^\[\[hooks\]\] 3 \(plugin\.toml\): its tool_match /u),
      expect.stringMatching(/^\[\[hooks\]\] 4 .*: no card has hooks on FileChanged$/u),
      "a: its script names `deny.txt` of the plugin's folder, which is not in the card",
      "a: it runs in the folder that the agent works in, and without ARAWN_PLUGIN_DIR; Arawn runs it in its plugin's folder",
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
      "start: it holds nothing: this event cannot be held",
      "slow: it names `./guard.sh`, which does not come with the card: what is there when it runs counts",
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
    [`notification: its id (${idOf(24)}) is not kept`],
  ],
  [
    "polytoken",
    ".polytoken/hooks.json",
    { ".polytoken/hooks.json": JSON.stringify([{ name: "more", event: "stop", handler: { bash: "exit 2" } }]) },
    [
      "more: what it prints on both outputs becomes one reason",
      "more: it keeps a turn going 8 times in a row at most, and once where its script fails",
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
      "quiet: `suppress` ends the compaction as `cancel` does",
      `quiet: ${IN_ANY_CARD}`,
      "quiet: hooks on the same event may run at the same time; the first in their order that holds it speaks",
      "quiet: it names `./quiet`, which does not come with the card: what is there when it runs counts",
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
      "x: a missing context file denies the call, hooker lets it through with a warning; paths (A.md) are meant from where the session was started",
      "x: its program may run although a gate denies what it is about; hooker asks the gates first",
      "x: the model is not told by `<hooker:matched>` which policies matched",
      "x: it finds more: a field under each name that agents have for it, and a file as it is written and as the path that this comes to",
    ],
  ],
  [
    "codex",
    ".codex/hooks.json",
    { ".codex/hooks.json": JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "./more" }] }] } }) },
    ["more: `additionalContext` that it prints keeps the turn going; Codex drops it"],
  ],
  [
    "claude",
    ".claude/settings.json",
    { ".claude/settings.json": JSON.stringify(SETTINGS) },
    ["log: what it says after a call does not reach the agent"],
  ],
])(
  "a card says what a hook that came from %s does otherwise, and doctor names the card",
  async (from, place, files, said) => {
    const folder = temporaryFolder();
    writeTree(folder, files);
    const { source, card } = await makeCard(path.join(folder, place), from, ["claude-code"]);
    expect(keptOf(source).map(({ policy, what }) => `${policy}: ${what}`)).toEqual(expect.arrayContaining(said));
    const { findings } = await diagnoseProject(card);
    expect(findings.filter(({ code }) => code === "imported-with-differences")).toMatchObject([
      { subject: CARD, message: expect.stringContaining(`imported from ${from} with differences`) },
    ]);
  },
);

test("a card of which every hook was left out says so, until a later import has them", async () => {
  const folder = temporaryFolder();
  const [broken, whole] = ["#!/usr/bin/awk -f\n", "#!/bin/sh -e\n"];
  writeTree(folder, { "plugin.toml": `[[hooks]]\nevent = "PreToolUse"\ncommand = "./x"\n`, x: broken });
  const { card, source } = await makeCard(folder, "arawn", ["claude-code"]);
  const file = path.basename(folder);
  const { findings } = await diagnoseProject(card);
  expect(findings).toContainEqual(
    expect.objectContaining({
      subject: CARD,
      message: expect.stringMatching(/^imported from arawn without 1 hook/u),
    }),
  );
  expect(readTree(source)[LEFT_OUT_FILE]).not.toContain(path.dirname(folder));
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
