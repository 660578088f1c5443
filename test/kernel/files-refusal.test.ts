import fs from "node:fs";
import { expect, test } from "vitest";
import { adviseAccess, temporaryName, toFileSystemProblem } from "../../src/kernel/files.ts";
import { temporaryFolder } from "../support/cards.ts";

function refused(act: () => void): string | undefined {
  try {
    act();
  } catch (error) {
    return toFileSystemProblem(error)?.message;
  }
  throw new Error("nothing refused it");
}

test("what refuses a file that was only there for a moment is its folder", () => {
  const folder = temporaryFolder();
  fs.writeFileSync(`${folder}/file`, "");
  const message = refused(() => fs.writeFileSync(temporaryName(`${folder}/file/part`), ""));
  expect(message).toBe(`ENOTDIR: not a directory, open '${folder}/file'`);
});

test.skipIf(process.getuid?.() !== 0)("nobody is told to take over a place in a folder that isn't theirs", () => {
  const folder = temporaryFolder();
  fs.mkdirSync(`${folder}/inner`);
  fs.chownSync(`${folder}/inner`, 65_534, 65_534);
  expect(adviseAccess(`${folder}/inner`)).toContain(`sudo chown 0 ${folder}/inner`);
  fs.chownSync(folder, 65_534, 65_534);
  expect(adviseAccess(`${folder}/inner`)).toBe("see why it belongs to the user 65534, or name another place");
});
