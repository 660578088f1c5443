import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { applyChanges, type Change, planFile } from "../../src/wiring/changes.ts";
import { readTree, temporaryFolder, writeTree } from "../support/cards.ts";
import { problemOf } from "../support/problems.ts";

const bytes = (text: string) => Buffer.from(text);

function mustPlan(request: Parameters<typeof planFile>[0]): Change {
  const change = planFile(request);
  if (change === undefined) throw new Error("there was nothing to change");
  return change;
}

test("planning says what is to be done and writes nothing", () => {
  const root = writeTree(temporaryFolder(), { same: "1", other: "1", old: "1" });
  const at = (name: string) => path.join(root, name);
  expect(planFile({ path: at("same"), after: bytes("1"), what: "x" })).toBeUndefined();
  expect(planFile({ path: at("none"), after: null, what: "x" })).toBeUndefined();
  expect(planFile({ path: at("other"), after: bytes("2"), what: "x" })?.action).toBe("update");
  expect(planFile({ path: at("old"), after: null, what: "x" })?.action).toBe("remove");
  expect(planFile({ path: at("new/file"), after: bytes("2"), what: "x" })?.action).toBe("create");
  expect(readTree(root)).toEqual({ same: "1", other: "1", old: "1" });
});

test("a file is created with its folders and its mode, whatever the umask", () => {
  const root = temporaryFolder();
  const former = process.umask(0o077);
  try {
    applyChanges([mustPlan({ path: path.join(root, "a/b/run"), after: bytes("x"), what: "program", mode: 0o755 })]);
  } finally {
    process.umask(former);
  }
  expect(fs.statSync(path.join(root, "a/b/run")).mode & 0o777).toBe(0o755);
});

test("a file of the right bytes and the wrong mode gets its mode", () => {
  const file = path.join(writeTree(temporaryFolder(), { run: "x" }), "run");
  fs.chmodSync(file, 0o644);
  const change = mustPlan({ path: file, after: bytes("x"), what: "program", mode: 0o755 });
  expect(change.action).toBe("update");
  applyChanges([change]);
  expect(fs.statSync(file).mode & 0o777).toBe(0o755);
  expect(planFile({ path: file, after: bytes("x"), what: "program", mode: 0o755 })).toBeUndefined();
});

test("an existing file keeps its mode when none is asked for", () => {
  const file = path.join(writeTree(temporaryFolder(), { run: "x" }), "run");
  fs.chmodSync(file, 0o751);
  applyChanges([mustPlan({ path: file, after: bytes("y"), what: "program" })]);
  expect(fs.statSync(file).mode & 0o777).toBe(0o751);
});

test.each([
  ["another text", (file: string) => fs.writeFileSync(file, "theirs")],
  ["removal", (file: string) => fs.rmSync(file)],
])("a file that changed since the planning stops everything before the first write: %s", async (_, change) => {
  const root = writeTree(temporaryFolder(), { one: "1", two: "2" });
  const [one, two] = [path.join(root, "one"), path.join(root, "two")];
  const changes = [
    mustPlan({ path: one, after: bytes("new"), what: "x" }),
    mustPlan({ path: two, after: null, what: "x" }),
  ];
  change(two);
  const problem = await problemOf(() => applyChanges(changes));
  expect([problem.code, problem.message]).toEqual(["DRWN_TARGET_CHANGED", expect.stringContaining(two)]);
  expect(readTree(root)["one"]).toBe("1");
});

test("a file that changed since the first write is left as it is", async () => {
  const root = writeTree(temporaryFolder(), { one: "1" });
  const [one, other] = [path.join(root, "one"), path.join(root, "other")];
  fs.symlinkSync("one", other);
  const changes = [one, other].map((file) => mustPlan({ path: file, after: bytes(path.basename(file)), what: "x" }));
  expect((await problemOf(() => applyChanges(changes))).code).toBe("DRWN_TARGET_CHANGED");
  expect(readTree(root)["one"]).toBe("one");
});

test("a file that appeared since the planning is not written over", async () => {
  const root = temporaryFolder();
  const change = mustPlan({ path: path.join(root, "new"), after: bytes("ours"), what: "x" });
  writeTree(root, { new: "theirs" });
  expect((await problemOf(() => applyChanges([change]))).code).toBe("DRWN_TARGET_CHANGED");
  expect(readTree(root)).toEqual({ new: "theirs" });
});

test("two changes of one file are a bug that shows before anything is written", () => {
  const root = temporaryFolder();
  const request = { path: path.join(root, "new"), after: bytes("ours"), what: "x" };
  expect(() => applyChanges([mustPlan(request), mustPlan(request)])).toThrow("two changes of one file");
  expect(readTree(root)).toEqual({});
});

test("of the folders that drwn created, those that are empty go with their file", () => {
  const root = writeTree(temporaryFolder(), { "a/b/c/file": "x", "a/theirs": "y" });
  const folders = ["a/b/c", "a/b", "a"].map((folder) => path.join(root, folder));
  const change = mustPlan({ path: path.join(root, "a/b/c/file"), after: null, what: "x" });
  applyChanges([{ ...change, folders }]);
  expect(fs.readdirSync(root, { recursive: true }).sort()).toEqual(["a", "a/theirs"]);
});

test("an empty folder that drwn did not create stays when its file goes", () => {
  const root = writeTree(temporaryFolder(), { "a/file": "x" });
  applyChanges([mustPlan({ path: path.join(root, "a/file"), after: null, what: "x" })]);
  expect(fs.readdirSync(root)).toEqual(["a"]);
});

test("a folder in the place of a file is refused when planning", async () => {
  const root = writeTree(temporaryFolder(), { "a/file": "x" });
  const problem = await problemOf(() => planFile({ path: path.join(root, "a"), after: bytes("x"), what: "x" }));
  expect(problem.code).toBe("DRWN_TARGET_OCCUPIED");
});

test("what the system refuses is a problem that names file and reason", async () => {
  const root = writeTree(temporaryFolder(), { file: "x" });
  const change = mustPlan({ path: path.join(root, "file/below"), after: bytes("x"), what: "x" });
  const problem = await problemOf(() => applyChanges([change]));
  expect(problem.code).toBe("DRWN_TARGET_UNWRITABLE");
  expect(problem.message).toContain(path.join(root, "file/below"));
  expect(problem.message).toMatch(/EEXIST|ENOTDIR/u);
});
