import path from "node:path";
import { expect, test } from "vitest";
import { checkPlugins } from "../../../src/agents/opencode/check.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

test("doctor names each plugin of the project, which OpenCode asks after drwn's", () => {
  const files = [
    ".opencode/plugin/a.js",
    ".opencode/plugins/b.ts",
    ".opencode/plugins/notes.md",
    ".opencode/tools/c.js",
  ];
  const root = writeTree(temporaryFolder(), Object.fromEntries(files.map((file) => [file, ""])));
  expect(checkPlugins(root).map(({ subject }) => path.relative(root, subject))).toEqual(files.slice(0, 2));
  expect(checkPlugins(temporaryFolder())).toEqual([]);
});
