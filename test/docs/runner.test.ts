import path from "node:path";
import { describe, expect, test } from "vitest";
import { findFalseClaims } from "./claims.ts";
import { readPage } from "./markdown.ts";
import { runPage } from "./run-page.ts";
import { splitWords } from "./shell-words.ts";
import { repository } from "./world.ts";

const block = (info: string, text = "") => `\`\`\`${info}\n${text}\n\`\`\`\n`;
const NEW = block("sh drwn", "drwn card new @me/a\ndrwn card source add-hook @me/a h");
const INIT = block("sh drwn", "drwn init");
const OBSERVER =
  'import { defineToolPolicy } from "darwinian-minds/hook-policy";\nexport default defineToolPolicy({ policyKind: "observer", afterToolCall() {} });';

describe("a page with a block that is not as it says is found out", () => {
  test.each<[what: string, page: string, why: RegExp]>([
    ["a block that says nothing", block("sh", "drwn init"), /line 1: .* has to say what it is/u],
    ["a block without an end", "```sh drwn\ndrwn init", /has no end/u],
    ["a command that fails", block("sh drwn", "drwn list"), /ended with 1/u],
    ["a command that succeeds where it should fail", block("sh drwn exit=1", "drwn init"), /ended with 0/u],
    ["another program", block("sh drwn", "rm -rf build"), /is no drwn command/u],
    ["output that was not printed", INIT + block("text output", "Made it up"), /was not printed/u],
    ["a script that does not exist", block("sh npm", "npm ci && npm run deploy"), /is no script/u],
    [
      "a policy that does not type-check",
      NEW + block("ts policy=@me/a#h", OBSERVER.replace("observer", "guard")),
      /does not type-check/u,
    ],
    [
      "a policy that no command compiles",
      NEW + block("ts policy=@me/a#h", OBSERVER),
      /no later command compiles @me\/a/u,
    ],
    [
      "a unit test that fails",
      NEW +
        block(
          "ts test=@me/a#a.test.ts",
          'import { test } from "node:test";\ntest("no", () => { throw new Error("no"); });',
        ),
      /its tests fail/u,
    ],
    [
      "a manifest that drwn refuses",
      block("json card", '{ "name": "@me/a", "version": "1.0.0", "hook": {} }'),
      /`hook`/u,
    ],
    [
      "a file that is not as shown",
      INIT + block("json config file=.agents/drwn/config.json", '{ "version": 1, "cards": { "@me/a": "^1.0.0" } }'),
      /is really/u,
    ],
  ])("%s", async (_, page, why) => {
    await expect(async () => runPage(readPage(page))).rejects.toThrow(why);
  });
});

describe("a page that claims what is not so is found out", () => {
  test.each<[page: string, why: string]>([
    ["[x](missing.md)", "leads nowhere"],
    ["[x](#missing)", "a heading that is not there"],
    ["[x](../../README.md#missing)", "a heading that is not there"],
    ["`DRWN_NO_SUCH_CODE`", "no problem code"],
    ["`drwn frobnicate`", "no command"],
    ["`drwn write --force`", "no flag --force"],
    ["`src/kernel/missing.ts`", "there is no src/kernel/missing.ts"],
    ["One ` alone", "has no partner"],
    ["It simply works", "plain words"],
    ["One thing — another", "plain words"],
  ])("%s", (page, why) => {
    expect(findFalseClaims(path.join(repository, "docs/guides/page.md"), readPage(page))).toEqual([
      expect.stringContaining(why),
    ]);
  });

  test("what is so is not found", () => {
    const page = readPage(
      [
        "# A heading, with `code`!",
        "[a](#a-heading-with-code) [b](../contributing/style.md#names) [c](https://example.com)",
        "`drwn`, `drwn card source …`, `drwn card trust <card> --hooks --range X`, `drwn card add`, `--frozen`, `--help`",
        "`DRWN_HOME`, `DRWN_LOCK_MISSING`, `src/kernel/problem.ts`, `test/docs/`",
        block("text drawing", "simply — `drwn frobnicate`"),
      ].join("\n"),
    );
    expect(findFalseClaims(path.join(repository, "docs/guides/page.md"), page)).toEqual([]);
  });
});

test.each<[string, string[]]>([
  ['drwn add "@me/a@^1.0.0"', ["drwn", "add", "@me/a@^1.0.0"]],
  ["drwn set --x 'a b' # why", ["drwn", "set", "--x", "a b"]],
  ["drwn set --capability h=", ["drwn", "set", "--capability", "h="]],
  ["# only a comment", []],
])("the words of %s", (line, words) => {
  expect(splitWords(line)).toEqual(words);
});

test("the example of a broken page is near a page that is not", async () => {
  const page = `${NEW}${block("ts policy=@me/a#h", OBSERVER)}${block("sh drwn", "drwn card source doctor @me/a")}${block("text output", "@me/a can be published, with 1 warning")}`;
  await expect(runPage(readPage(page))).resolves.toBeUndefined();
});
