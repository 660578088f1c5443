import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "./support/cards.ts";
import { nodeBinaries } from "./support/nodes.ts";

const own = Number.parseInt(process.versions.node, 10);
const other = [20, 22, 24].find((major) => major !== own) ?? 24;
let before: string | undefined;

beforeEach(() => {
  before = process.env["DRWN_E2E_CLIENTS"];
  process.env["DRWN_E2E_CLIENTS"] = temporaryFolder();
});
afterEach(() => {
  if (before === undefined) delete process.env["DRWN_E2E_CLIENTS"];
  else process.env["DRWN_E2E_CLIENTS"] = before;
});

test("the running Node stands for its line, and lines that are not installed are named with the reason", async () => {
  const { found, missing } = await nodeBinaries({ majors: [other, own], mayInstall: false });
  expect(found).toEqual([{ major: own, version: process.versions.node, path: process.execPath }]);
  expect(missing).toEqual([{ major: other, reason: expect.stringMatching(/is not installed/u) }]);
  expect(fs.readdirSync(process.env["DRWN_E2E_CLIENTS"] ?? "")).toEqual([]);
});

test("a line without a release is missing, not an error", async () => {
  const { missing } = await nodeBinaries({ majors: [3], mayInstall: true });
  expect(missing.map(({ major }) => major)).toEqual([3]);
});

test("what is said to be found runs and is what it is said to be", async () => {
  process.env["DRWN_E2E_CLIENTS"] = before ?? "";
  const { found } = await nodeBinaries({ mayInstall: false });
  for (const { path, version } of found) {
    expect(execFileSync(path, ["--version"], { encoding: "utf8" }).trim()).toBe(`v${version}`);
  }
});
