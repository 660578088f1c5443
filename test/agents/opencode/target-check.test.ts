import path from "node:path";
import { expect, test } from "vitest";
import { opencodeTarget } from "../../../src/agents/opencode/target.ts";
import type { AgentContext } from "../../../src/wiring/target.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

const checkPlugins = (root: string) => opencodeTarget.checkBeside?.({ root } as AgentContext) ?? [];

test("doctor names each plugin of the project beside drwn's", () => {
  const files = [
    ".opencode/plugin/a.js",
    ".opencode/plugins/b.ts",
    ".opencode/plugins/notes.md",
    ".opencode/tools/c.js",
  ];
  const root = writeTree(temporaryFolder(), Object.fromEntries(files.map((file) => [file, ""])));
  expect(checkPlugins(root).map(({ code, subject }) => [code, path.relative(root, subject)])).toEqual([
    ["other-plugin", files[0]],
    ["other-plugin", files[1]],
  ]);
  expect(checkPlugins(temporaryFolder())).toEqual([]);
});
