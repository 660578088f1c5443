import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { planWiring, type WiringEntry } from "../../agents/claude-code/entries.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { problemOf } from "../../support/problems.ts";

const PRE: WiringEntry = { event: "PreToolUse", matcher: null, command: "drwn-hook", timeout: 60, onFailure: "block" };

function settingsWith(content: string | Buffer) {
  const root = temporaryFolder();
  const settingsFile = path.join(root, "settings.json");
  fs.writeFileSync(settingsFile, content);
  const isOurs = (command: string) => command === "drwn-hook";
  return { settingsFile, plan: () => planWiring({ settingsFile, root, entries: [PRE], isOurs, record: undefined }) };
}

test.each([
  ["a line comment", '{\n  // mine\n  "a": 1\n}', 2, 3, "no comment"],
  ["a comment behind a value", '{\n  "a": 1 // mine\n}', 2, 10, "no comment"],
  ["a block comment", "{ /* mine */ }", 1, 3, "no comment"],
  ["a trailing comma in an object", '{\n  "a": 1,\n}', 3, 1, "a name in double quotes"],
  ["a trailing comma in a list", '{ "a": [1,] }', 1, 11, "a value"],
  ["a missing comma", '{\n  "a": 1\n  "b": 2\n}', 3, 3, "a comma"],
  ["a missing colon", '{ "a" 1 }', 1, 7, "a colon"],
  ["a missing brace", '{ "a": { "b": 1 }', 1, 18, "`}`"],
  ["a missing bracket", '{ "a": [1 }', 1, 11, "a comma or a closing bracket"],
  ["a name without quotes", "{ a: 1 }", 1, 3, "strict JSON"],
  ["single quotes", "{ 'a': 1 }", 1, 3, "strict JSON"],
  ["NaN", '{ "a": NaN }', 1, 8, "strict JSON"],
  ["a number with a leading zero", '{ "a": 01 }', 1, 9, "a comma"],
  ["a tab in a text", '{ "a": "x\ty" }', 1, 8, "strict JSON"],
  ["an unknown escape", '{ "a": "\\x" }', 1, 8, "strict JSON"],
  ["something behind the object", "{}\n{}", 2, 1, "the end of the file"],
  ["a no-break space", '{\n\u00a0"a": 1\n}', 2, 1, "strict JSON"],
  ["a name twice", '{\n  "hooks": {},\n  "hooks": {}\n}', 3, 3, "each name once"],
  ["a name twice, written in two ways", '{ "hooks": {}, "\\u0068ooks": {} }', 1, 16, "each name once"],
  ["a name twice deep inside", '{\n  "a": [{ "b": 1, "b": 2 }]\n}', 2, 19, "each name once"],
  ["65 levels", `{ "a": ${"[".repeat(64)}${"]".repeat(64)} }`, 1, 71, "at most 64 levels"],
  ["100000 levels", "[".repeat(100_000), 1, 65, "at most 64 levels"],
  ["a list", '\n[{ "hooks": {} }]', 2, 1, "the file to be an object"],
  ["a text", '"hooks"', 1, 1, "the file to be an object"],
  ["null", "null", 1, 1, "the file to be an object"],
  ["hooks that are a list", '{\n  "a": 1,\n  "hooks": []\n}', 3, 12, "`hooks` to be an object"],
  ["hooks that are null", '{ "hooks": null }', 1, 12, "`hooks` to be an object"],
  ["hooks that are a text", '{ "hooks": "none" }', 1, 12, "`hooks` to be an object"],
  ["an event that is an object", '{\n"hooks": {\n"PreToolUse": {}\n}\n}', 3, 15, "`hooks.PreToolUse` to be a list"],
  ["another event that is null", '{ "hooks": { "Stop": null } }', 1, 22, "`hooks.Stop` to be a list"],
  ["a group that is a text", '{ "hooks": { "PreToolUse": [{}, "x"] } }', 1, 33, "`hooks.PreToolUse.1` to be an object"],
  ["a group that is a list", '{ "hooks": { "Stop": [\n[]] } }', 2, 1, "`hooks.Stop.0` to be an object"],
  ["a group that is null", '{ "hooks": { "PostToolUse": [null] } }', 1, 30, "`hooks.PostToolUse.0` to be an object"],
])("settings with %s are refused with the place", async (_, text, line, column, expected) => {
  const { settingsFile, plan } = settingsWith(text);
  const { code, message } = await problemOf(plan);
  expect(code).toBe("DRWN_SETTINGS_INVALID");
  expect(message).toContain(`${settingsFile}, line ${line}, column ${column}: expected ${expected}`);
  expect(fs.readFileSync(settingsFile, "utf8")).toBe(text);
});

test("lines are counted alike with CRLF, and columns alike behind a byte order mark", async () => {
  const crlf = await problemOf(settingsWith('{\r\n  "a": 1,\r\n  "a": 2\r\n}').plan);
  expect(crlf.message).toContain("line 3, column 3");
  const marked = await problemOf(settingsWith('\ufeff{ "a": 1, "a": 2 }').plan);
  expect(marked.message).toContain("line 1, column 11");
});

test("settings that are not UTF-8 are refused", async () => {
  const { code, message } = await problemOf(settingsWith(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])).plan);
  expect([code, message]).toEqual(["DRWN_SETTINGS_INVALID", expect.stringContaining("expected UTF-8")]);
});

test("a folder in the place of the settings is refused", async () => {
  const { settingsFile, plan } = settingsWith("");
  fs.rmSync(settingsFile);
  fs.mkdirSync(settingsFile);
  expect((await problemOf(plan)).code).toBe("DRWN_TARGET_OCCUPIED");
});

test("a file in the place of the folder of the settings is refused", async () => {
  const root = temporaryFolder();
  fs.writeFileSync(path.join(root, ".claude"), "");
  const settingsFile = path.join(root, ".claude", "settings.json");
  const problem = await problemOf(() =>
    planWiring({ settingsFile, root, entries: [PRE], isOurs: () => false, record: undefined }),
  );
  expect([problem.code, problem.message]).toEqual(["DRWN_TARGET_OCCUPIED", expect.stringContaining(".claude")]);
});

test("settings larger than any that people have are refused", async () => {
  const { plan } = settingsWith(`{ "a": "${"x".repeat(4 * 1024 * 1024)}" }`);
  expect((await problemOf(plan)).code).toBe("DRWN_FILE_TOO_LARGE");
});

test("a path outside the root is refused", async () => {
  const root = temporaryFolder();
  const settingsFile = path.join(temporaryFolder(), "settings.json");
  const problem = await problemOf(() =>
    planWiring({ settingsFile, root, entries: [PRE], isOurs: () => false, record: undefined }),
  );
  expect(problem.code).toBe("DRWN_SETTINGS_UNSAFE");
});
