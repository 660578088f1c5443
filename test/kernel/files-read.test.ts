import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { packageFile, readIfThere } from "../../src/kernel/files.ts";
import { temporaryFolder } from "../support/cards.ts";

test("a process reads a file that doesn't change once", () => {
  // Only a file that is a few seconds old shows by its times that it doesn't change.
  const file = packageFile("LICENSE");

  const [first, second] = [readIfThere(file), readIfThere(file)];

  expect(second).toBe(first);
});

test("each new content of a file is read, however fast it follows and whatever its length", () => {
  const file = path.join(temporaryFolder(), "file");

  const read = ["one", "two", "six"].map((content) => {
    fs.writeFileSync(file, content);
    return readIfThere(file)?.toString();
  });

  expect(read).toEqual(["one", "two", "six"]);
});

test("what has been read of a file that is gone isn't given again", () => {
  const folder = temporaryFolder();
  const [file, link] = [path.join(folder, "file"), path.join(folder, "link")];
  fs.symlinkSync(packageFile("LICENSE"), link);
  readIfThere(link);
  fs.rmSync(link);
  fs.writeFileSync(file, "another");
  fs.symlinkSync(file, link);

  expect(readIfThere(link)?.toString()).toBe("another");
});

test("a file that has been read is absent like any other once its folder is a file", () => {
  const folder = path.join(temporaryFolder(), "folder");
  fs.symlinkSync(path.dirname(packageFile("LICENSE")), folder);
  const file = path.join(folder, "LICENSE");
  expect(readIfThere(file)).toBeDefined();
  fs.rmSync(folder);
  fs.writeFileSync(folder, "");

  expect(readIfThere(file)).toBeUndefined();
});
