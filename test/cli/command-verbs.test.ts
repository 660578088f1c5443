import { describe, expect, test } from "vitest";
import Add from "../../src/cli/commands/add.ts";
import CardDeprecate from "../../src/cli/commands/card/deprecate.ts";
import CardShow from "../../src/cli/commands/card/show.ts";
import SourceAdd from "../../src/cli/commands/card/source/add.ts";
import SourceRemove from "../../src/cli/commands/card/source/remove.ts";
import SourceSet from "../../src/cli/commands/card/source/set.ts";
import CardYank from "../../src/cli/commands/card/yank.ts";
import Install from "../../src/cli/commands/install.ts";
import KeyList from "../../src/cli/commands/key/list.ts";
import KeyNew from "../../src/cli/commands/key/new.ts";
import KeyTrust from "../../src/cli/commands/key/trust.ts";
import Outdated from "../../src/cli/commands/outdated.ts";
import Search from "../../src/cli/commands/search.ts";
import Update from "../../src/cli/commands/update.ts";
import Why from "../../src/cli/commands/why.ts";
import { showSource } from "../../src/operations/author/inspect-source.ts";
import { openDefaultRegistry } from "../../src/project/fetch/fetch-card.ts";
import { sourceWith } from "../support/cards.ts";
import { runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import { installed, newSigner, publish, trust } from "../support/projects.ts";
import { sweep } from "../support/sweep.ts";

const NAME = "@me/backend";
const GUARD = { hooks: { guard: { matcher: "Bash" } } };
const KEY = newSigner().key.publisher;
const HOSTILE = "\u001b]0;owned\u0007 \u202e red";

type Command = Parameters<typeof runCommand>[1];

/** 1.0.0 of a guard is installed and consented to, 1.1.0 with another matcher and a hostile description is published. */
async function project(): Promise<TestHost> {
  const host = await installed(GUARD);
  await trust(host);
  await publish(host, {
    version: "2.0.0",
    hooks: { guard: {} },
    manifest: { description: "Guards git" },
    files: { "README.md": `line\n${HOSTILE}\n` },
  });
  return host;
}

const RUNS: [name: string, Command, argv: string[], said: string[]][] = [
  ["update", Update, [], ["Already up to date"]],
  ["update --latest", Update, ["--latest"], [`${NAME} 1.0.0 → 2.0.0`, "^2.0.0", "waits", "Next: drwn write"]],
  ["update --dry-run", Update, [NAME, "--latest", "--dry-run"], ["1 card would change"]],
  ["outdated", Outdated, [], [NAME, "1.0.0", "2.0.0", "1 card listed", "Next: drwn update --latest"]],
  ["card show", CardShow, [NAME], ["2.0.0", "not signed", "Guards git"]],
  ["card show, of no card", CardShow, [], ["latest", NAME, "1.0.0, 2.0.0"]],
  ["search", Search, ["guards", "git"], [NAME, "2.0.0", "Guards git"]],
  [
    "search, of what comes with drwn, too",
    Search,
    ["git"],
    [NAME, "@drwn/git", "1 card in folder:default, 1 comes with drwn"],
  ],
  ["card deprecate", CardDeprecate, [`${NAME}@1.0.0`, "old"], [`Deprecated ${NAME}@1.0.0`]],
  ["card deprecate --undo", CardDeprecate, [NAME, "--undo"], [`No longer deprecated: ${NAME}@1.0.0, 2.0.0`]],
  ["card yank", CardYank, [`${NAME}@2.0.0`], [`Yanked ${NAME}@2.0.0`]],
  ["card yank --undo", CardYank, [`${NAME}@2.0.0`, "--undo"], [`Offered again: ${NAME}@2.0.0`]],
  [
    "why",
    Why,
    [NAME],
    [
      "as ^1.0.0 by config.json",
      "hook guard: enforcement on Bash",
      "in force    none",
      "NOT GUARDED in Claude Code: what you consented",
    ],
  ],
  ["key new", KeyNew, ["@me"], ["@me is signed with ed25519:", "to back up"]],
  ["key list", KeyList, [], ["No keys yet"]],
  ["key trust", KeyTrust, [KEY, "@you"], [`@you may be signed with ${KEY}`]],
];

describe("a command", () => {
  test.each(sweep(RUNS, 10))(
    "%s says what a person wants to know, and nothing that moves the cursor",
    async (_, command, argv, said) => {
      const host = await project();
      const { stdout, stderr, exitCode } = await runCommand(host, command, ...argv);
      for (const text of said) expect(stdout + stderr).toContain(text);
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u);
      expect(exitCode).toBe(0);
    },
  );

  test.each(sweep(RUNS, 10))("%s --json prints exactly one document", async (_, command, argv) => {
    const host = await project();
    const { stdout, stderr, exitCode } = await runCommand(host, command, ...argv, "--json");
    expect(JSON.parse(stdout)).toBeTypeOf("object");
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
  });

  test.each<[string, Command, string[], string]>([
    ["update", Update, ["@me/none"], "DRWN_CARD_NOT_INSTALLED"],
    ["search", Search, ["--registry", "nowhere"], "DRWN_REGISTRY_UNKNOWN"],
    ["card show", CardShow, ["@me/none"], "DRWN_CARD_NOT_FOUND"],
    ["card deprecate", CardDeprecate, [NAME, " "], "DRWN_DEPRECATION_INVALID"],
    ["card deprecate without a message", CardDeprecate, [NAME], "DRWN_USAGE"],
    ["card yank", CardYank, [NAME], "DRWN_SPEC_INVALID"],
    ["why without a denied call", Why, [], "DRWN_CALL_UNKNOWN"],
    ["key list --secret without a scope", KeyList, ["--secret"], "DRWN_USAGE"],
    ["why", Why, ["@me/none"], "DRWN_CARD_NOT_INSTALLED"],
    ["key new", KeyNew, ["@me/backend"], "DRWN_NAME_INVALID"],
    ["key new --rotate", KeyNew, ["@me", "--rotate"], "DRWN_KEY_MISSING"],
    ["key list", KeyList, ["@me"], "DRWN_KEY_MISSING"],
    ["key trust", KeyTrust, ["ed25519:no", "@me"], "DRWN_KEY_INVALID"],
  ])("%s fails with a code, in one document", async (_, command, argv, code) => {
    const host = await project();
    const { stdout, stderr, exitCode } = await runCommand(host, command, ...argv, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ error: { code } });
    expect(stderr).toBe("");
    expect(exitCode).toBe(code === "DRWN_USAGE" ? 2 : 1);
  });
});

test("outdated --check ends with 3 when something is listed, and with 0 otherwise", async () => {
  const host = await project();
  expect((await runCommand(host, Outdated, "--check")).exitCode).toBe(3);
  expect((await runCommand(host, Outdated)).exitCode).toBe(0);
  const current = await installed(GUARD);
  expect(await runCommand(current, Outdated, "--check")).toMatchObject({
    exitCode: 0,
    stdout: "Everything is up to date\n",
  });
});

test.each<[string, Command, string[]]>([
  ["add", Add, [NAME]],
  ["install", Install, []],
  ["update", Update, []],
])("%s warns of a deprecated card in the publisher's words, cleaned and on stderr", async (_, command, argv) => {
  const host = await installed(GUARD);
  await openDefaultRegistry(host).annotate(NAME, "1.0.0", { deprecated: "use @me/other \u202e" });
  const { stdout, stderr } = await runCommand(host, command, ...argv);
  expect(stderr).toContain(`warning: ${NAME}@1.0.0 is deprecated: “use @me/other \\u{202e}”`);
  expect(stdout).not.toContain("deprecated");
});

test("outdated shows what is said of a deprecated or yanked card", async () => {
  const host = await installed(GUARD);
  await openDefaultRegistry(host).annotate(NAME, "1.0.0", { deprecated: "old", yanked: true });
  expect((await runCommand(host, Outdated)).stdout).toMatch(/yanked; deprecated: “old”/u);
});

test("key list of a scope prints its public key alone, and the secret only when asked for, which publishes elsewhere", async () => {
  const host = await installed({});
  await runCommand(host, KeyNew, "@me");
  const { stdout } = await runCommand(host, KeyList, "@me");
  expect(stdout).toMatch(/^ed25519:[\w-]{43}\n$/u);
  const secret = await runCommand(host, KeyList, "@me", "--secret");
  expect(JSON.parse(secret.stdout)).toMatchObject({ publisher: stdout.trim(), secret: expect.any(String) });
  expect(secret.stderr).toContain("whoever has this file");
  expect((await runCommand(host, KeyList)).stdout).toContain(stdout.trim());
});

test("source set --version takes a step as well as a version", async () => {
  const host = await installed({});
  const source = sourceWith();
  await runCommand(host, SourceSet, source, "--version", "minor");
  expect(showSource(host, source).manifest.version).toBe("1.1.0");
});

test.each<[kind: string, argv: string[], added: string, removed: string]>([
  ["skill", [], "Added skill new", "Removed skill new"],
  ["mcp", ["--url", "https://mcp.example.com/"], "Added MCP server new", "Removed MCP server new"],
])("source add and remove take a %s", async (kind, argv, added, removed) => {
  const host = await installed({});
  const source = sourceWith();
  expect((await runCommand(host, SourceAdd, kind, source, "new", ...argv)).stdout).toContain(added);
  expect(JSON.stringify(showSource(host, source))).toContain('"new"');
  expect((await runCommand(host, SourceRemove, kind, source, "new")).stdout).toContain(removed);
  expect(JSON.stringify(showSource(host, source))).not.toContain('"new"');
});

test.each<[argv: string[]]>([[["skill", "--url", "https://mcp.example.com/"]], [["mcp"]]])(
  "source add refuses what another kind takes: %j",
  async ([kind = "", ...argv]) => {
    const host = await installed({});
    const { exitCode, stderr } = await runCommand(host, SourceAdd, kind, sourceWith(), "new", ...argv);
    expect(stderr).toMatch(/^error: .*(?:hook|skill|MCP server|--url)/u);
    expect(exitCode).toBe(2);
  },
);
