import fs from "node:fs";
import path from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { readIfThere, readOnlyOnce } from "../../src/kernel/files.ts";
import { listenToTrace } from "../../src/kernel/trace.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";

const files: string[] = [];

/** Its last change is longer ago than any clock of a file system is coarse. */
function oldFile(): string {
  return files.pop() ?? expect.unreachable("make one more file");
}

beforeAll(async () => {
  readOnlyOnce();
  for (let count = 0; count < 6; count += 1) {
    const file = path.join(temporaryFolder(), "file");
    fs.writeFileSync(file, "one");
    files.push(file);
  }
  const newest = files.at(-1) ?? "";
  await vi.waitUntil(() => Date.now() - fs.statSync(newest).ctimeMs > 2000, { timeout: 10_000 });
});

/** How often the disk was read meanwhile. */
function readsDuring(act: () => void): number {
  let reads = 0;
  const stop = listenToTrace((line) => {
    if (line.includes("  read ")) reads += 1;
  }, {});
  act();
  stop();
  return reads;
}

test("a file that hasn't changed is read from the disk once", () => {
  const file = oldFile();
  const texts: string[] = [];
  const reads = readsDuring(() => {
    for (let time = 0; time < 3; time += 1) texts.push(String(readIfThere(file)));
  });
  expect({ reads, texts }).toEqual({ reads: 1, texts: ["one", "one", "one"] });
});

test.each<[string, (file: string) => void]>([
  ["written over with as many bytes", (file) => fs.writeFileSync(file, "two")],
  [
    "replaced by another file",
    (file) => fs.renameSync(path.join(writeTree(temporaryFolder(), { new: "two" }), "new"), file),
  ],
  [
    "a link that now leads elsewhere",
    (file) => {
      fs.rmSync(file);
      fs.symlinkSync(path.join(writeTree(temporaryFolder(), { new: "two" }), "new"), file);
    },
  ],
])("a file is read again when it is %s", (_, change) => {
  const file = oldFile();
  readIfThere(file);
  change(file);
  expect(String(readIfThere(file))).toBe("two");
});

test("a file that is gone is gone", () => {
  const file = oldFile();
  readIfThere(file);
  fs.rmSync(file);
  expect(readIfThere(file)).toBeUndefined();
});

test("what a link in a circle has replaced is refused in drwn's words", () => {
  const file = oldFile();
  readIfThere(file);
  fs.rmSync(file);
  fs.symlinkSync(file, file);
  expect(() => readIfThere(file)).toThrow(expect.objectContaining({ code: "DRWN_FILE_INVALID" }));
});

test("a file that has just been written is read again, since it may change without a trace", () => {
  const file = path.join(temporaryFolder(), "file");
  fs.writeFileSync(file, "one");
  expect(readsDuring(() => [readIfThere(file), readIfThere(file)])).toBe(2);
});
