import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { digestOf } from "../../src/kernel/digest.ts";
import { commitFiles, finishIntent } from "../../src/project/commit.ts";
import { projectFiles } from "../../src/project/identity.ts";
import { openProject } from "../../src/project/open/open-project.ts";
import { readTree, temporaryFolder, writeTree } from "../support/cards.ts";
import { problemOf } from "../support/problems.ts";
import { bundleScript } from "../support/processes.ts";
import { newProject } from "../support/projects.ts";

const edit = (folder: string, name: string) => ({ file: path.join(folder, name), content: `new ${name}`, mode: 0o644 });

/** As a process leaves it that was killed right after it appeared. */
function leaveIntent(intent: string, edits: { file: string; before: string | null; content: string }[]): void {
  fs.mkdirSync(path.dirname(intent), { recursive: true });
  fs.writeFileSync(intent, JSON.stringify({ version: 1, edits: edits.map((one) => ({ ...one, mode: 0o644 })) }));
}

test("several files change, and nothing but them is left", () => {
  const folder = writeTree(temporaryFolder(), { a: "old", same: "new same" });
  commitFiles(
    path.join(folder, "home/intent"),
    ["a", "b/c", "same"].map((name) => edit(folder, name)),
  );
  expect(readTree(folder)).toEqual({ a: "new a", "b/c": "new b/c", same: "new same" });
});

test("where one of the files cannot be written, none of them changes", () => {
  const folder = writeTree(temporaryFolder(), { a: "old", file: "old" });
  const edits = ["a", "b", "file/inner"].map((name) => edit(folder, name));
  expect(() => commitFiles(path.join(folder, "intent"), edits)).toThrow(/EEXIST|ENOTDIR/u);
  expect(readTree(folder)).toEqual({ a: "old", file: "old" });
});

test("what is to be noted of an edit is noted when all is written and nothing has changed, and when that fails nothing does", () => {
  const folder = writeTree(temporaryFolder(), { a: "old", file: "old" });
  const noted: string[] = [];
  const note = (): void => {
    noted.push(fs.readFileSync(path.join(folder, "a"), "utf8"));
    if (noted.length > 1) throw new Error("full");
  };
  const commit = (...names: string[]): void =>
    commitFiles(path.join(folder, "intent"), [
      { ...edit(folder, "a"), note },
      ...names.map((name) => edit(folder, name)),
    ]);
  expect(() => commit("file/inner")).toThrow(/EEXIST|ENOTDIR/u);
  expect(noted).toEqual([]);
  commit("b");
  expect(readTree(folder)).toEqual({ a: "new a", b: "new b", file: "old" });
  fs.writeFileSync(path.join(folder, "a"), "old");
  for (const names of [[], ["c"]]) expect(() => commit(...names)).toThrow("full");
  expect(readTree(folder)).toEqual({ a: "old", b: "new b", file: "old" });
  expect(noted).toEqual(["old", "old", "old"]);
});

test("an intent that cannot be written changes nothing", () => {
  const folder = writeTree(temporaryFolder(), { a: "old", file: "old" });
  expect(() => commitFiles(path.join(folder, "file/intent"), [edit(folder, "a"), edit(folder, "b")])).toThrow();
  expect(readTree(folder)).toEqual({ a: "old", file: "old" });
});

test("what a killed process was about to do is finished, but for what somebody has changed since", () => {
  const folder = writeTree(temporaryFolder(), { old: "old", done: "new", theirs: "theirs" });
  const before = digestOf("old");
  const intent = path.join(folder, "intent");
  leaveIntent(intent, [
    { file: path.join(folder, "old"), before, content: "new" },
    { file: path.join(folder, "done"), before, content: "new" },
    { file: path.join(folder, "theirs"), before, content: "new" },
    { file: path.join(folder, "created"), before: null, content: "new" },
    { file: path.join(folder, "gone/with/its/folder"), before: null, content: "new" },
  ]);
  finishIntent(intent);
  expect(readTree(folder)).toEqual({ old: "new", done: "new", theirs: "theirs", created: "new" });
  finishIntent(intent);
});

test.each([
  ["no JSON", "{"],
  [
    "a file that is not absolute",
    JSON.stringify({ version: 1, edits: [{ file: "a", before: null, content: "", mode: 1 }] }),
  ],
  ["another version", JSON.stringify({ version: 2, edits: [] })],
])("an intent with %s is refused, and nothing is done", async (_, text) => {
  const intent = path.join(writeTree(temporaryFolder(), { intent: text }), "intent");
  expect((await problemOf(() => finishIntent(intent))).code).toBe("DRWN_FILE_INVALID");
  expect(fs.readFileSync(intent, "utf8")).toBe(text);
});

const HOLDING = `
import { withLock } from "src/kernel/mutex.ts";
await withLock(process.argv[2], async () => {
  process.stdout.write("held");
  await new Promise((resolve) => setTimeout(resolve, 60000));
});
`;

test("whoever looks at a project finishes what a killed command began, and leaves to a living one what is its own", async () => {
  const host = newProject();
  const { key } = openProject(host);
  const config = projectFiles.config(host.cwd);
  const text = fs.readFileSync(config, "utf8");
  const intent = layout.intent(host.drwnHome, key);
  const content = text.replace('"cards": {}', '"cards": { "@me/x": "^1.0.0" }');
  leaveIntent(intent, [{ file: config, before: digestOf(text), content }]);

  const script = await bundleScript(HOLDING);
  const holder = spawn(process.execPath, [script, layout.lock(host.drwnHome, key)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    holder.kill("SIGKILL");
  });
  await once(holder.stdout, "data");
  expect(openProject(host).config.cards).toEqual({});

  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(openProject(host).config.cards).toEqual({ "@me/x": "^1.0.0" });
  expect(fs.existsSync(intent)).toBe(false);
  expect(fs.readdirSync(path.join(host.drwnHome, "locks"))).toEqual([]);
});
