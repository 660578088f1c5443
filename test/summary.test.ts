import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const summary = path.resolve(import.meta.dirname, "../.scripts/summary.mjs");

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "drwn-summary-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const name = path.resolve("test/some.test.ts");
const passed = { name, status: "passed", assertionResults: [{ status: "passed", fullName: "it passes" }] };
const failed = {
  name,
  status: "failed",
  assertionResults: [{ status: "failed", fullName: "it fails", failureMessages: ["Error: one is two\n    at some"] }],
};
const unfinished = { name, status: "passed", assertionResults: [{ status: "pending", fullName: "it hangs" }] };
const unloaded = { name, status: "failed", assertionResults: [] };

test.each([
  ["two suites that pass", [report(2, 0, passed), report(3, 0, passed)], "5 passed, 0 failed", 0],
  ["a failed test", [report(2, 1, passed, failed), report(3, 0, passed)], "5 passed, 1 failed", 1],
  ["a file that could not be loaded", [report(2, 0, passed, unloaded)], "2 passed, 1 failed", 1],
  ["a test that its worker died with", [report(2, 0, passed, unfinished)], "2 passed, 1 failed", 1],
  ["a suite without any test", [report(0, 0), report(1, 0, passed)], "1 passed, 1 failed", 1],
  ["a suite that wrote no report", [report(2, 0, passed), undefined], "2 passed, 1 failed", 1],
  ["a report that was cut off", ['{"testResults":['], "0 passed, 1 failed", 1],
])("the last line sums up %s", (_, reports, lastLine, exitCode) => {
  const files = reports.map((text, index) => {
    const file = path.join(folder, `suite-${index}.json`);
    if (text !== undefined) fs.writeFileSync(file, text);
    return file;
  });
  const { stdout, status } = spawnSync(process.execPath, [summary, ...files], { encoding: "utf8" });
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(lastLine);
  expect(status).toBe(exitCode);
});

test("what failed is named with its file and the head of its message", () => {
  const file = path.join(folder, "unit.json");
  fs.writeFileSync(file, report(2, 1, passed, failed, unloaded));
  const { stdout } = spawnSync(process.execPath, [summary, file], { encoding: "utf8" });
  expect(stdout).toContain(
    [
      "failed in unit: test/some.test.ts: could not be loaded",
      "failed in unit: test/some.test.ts: it fails",
      "    Error: one is two",
    ].join("\n"),
  );
});

test("a row that passed only when it was tried again is named before the last line, a row that failed twice has failed", () => {
  const file = path.join(folder, "rows.test.js");
  fs.writeFileSync(
    file,
    `let tries = 0;
    test("is unlucky once", () => expect(++tries).toBe(2));
    test("is lucky", () => {});
    test("is wrong", () => expect("wrong").toBe("right"));`,
  );
  const unit = path.join(folder, "unit.json");
  const vitest = path.resolve("node_modules/vitest/vitest.mjs");
  const flags = ["--root", folder, "--globals", "--retry=1", "--reporter=json", `--outputFile=${unit}`];
  spawnSync(process.execPath, [vitest, "run", ...flags], { cwd: folder });
  const { stdout } = spawnSync(process.execPath, [summary, unit], { encoding: "utf8" });
  const rows = path.relative(process.cwd(), fs.realpathSync(file));
  expect(stdout.split("\n").filter((line) => /^\S/u.test(line))).toEqual([
    `failed in unit: ${rows}: is wrong`,
    "unit: 1 files, 2 passed, 1 failed, 0 skipped",
    `needed a second try: ${rows}: is unlucky once`,
    "2 passed, 1 failed",
  ]);
  expect(stdout).toContain("    AssertionError: expected 1 to be 2");
});

test.each(["vitest.config.ts", "test/e2e/project.ts"])("rows of %s are tried twice at most", (file) => {
  expect(fs.readFileSync(file, "utf8")).toMatch(/^ +retry: 1,$/mu);
});

/** As much of vitest's JSON report as is read. */
function report(numPassedTests: number, numFailedTests: number, ...testResults: object[]): string {
  return JSON.stringify({ numPassedTests, numFailedTests, numPendingTests: 0, numTodoTests: 0, testResults });
}
