import path from "node:path";
import { expect, test } from "vitest";
import { checkPlugins } from "../../../src/agents/opencode/check.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

test("doctor names each plugin beside drwn's: those of the project, and those of the user", () => {
  const files = [
    ".opencode/plugin/a.js",
    ".opencode/plugins/b.ts",
    ".opencode/plugins/notes.md",
    ".opencode/tools/c.js",
    "user/plugins/d.js",
    "user/plugins/drwn.js",
  ];
  const root = writeTree(temporaryFolder(), Object.fromEntries(files.map((file) => [file, ""])));
  expect(
    checkPlugins(root, path.join(root, "user")).map(({ code, subject }) => [code, path.relative(root, subject)]),
  ).toEqual([
    ["plugin-beside", files[0]],
    ["plugin-beside", files[1]],
    ["hook-beside", files[4]],
  ]);
  expect(checkPlugins(temporaryFolder(), temporaryFolder())).toEqual([]);
});
