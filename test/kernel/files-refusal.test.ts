import fs from "node:fs";
import { expect, test } from "vitest";
import { temporaryName, toFileSystemProblem } from "../../src/kernel/files.ts";
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
