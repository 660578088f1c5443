import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder, writeTree } from "../support/cards.ts";

const BIN = path.resolve(import.meta.dirname, "../../bin");

/** The program `drwn` around another CLI, which runs these lines. */
function runAround(lines: string, ...words: string[]) {
  const folder = temporaryFolder();
  fs.cpSync(BIN, path.join(folder, "bin"), { recursive: true });
  writeTree(folder, {
    "dist/cli/run.cjs": `exports.runCli = async () => { ${lines} };\n`,
    "dist/systems/slow.mjs": lines,
  });
  const { status, stdout } = spawnSync(process.execPath, [path.join(folder, "bin/drwn.js"), ...words], {
    encoding: "utf8",
  });
  return { status, stdout };
}

describe("the program drwn", () => {
  test("ends with 70 when nothing is left that would bring its work to an end", () => {
    const stuck = `console.log("begun"); await new Promise(() => {});`;
    expect(runAround(stuck)).toEqual({ status: 70, stdout: "begun\n" });
    expect(runAround(stuck, "hook", "run", "--dialect", "slow")).toEqual({ status: 70, stdout: "begun\n" });
  });

  test("ends where its package has been taken away around it", () => {
    const folder = temporaryFolder();
    for (const part of ["bin", "dist"])
      fs.cpSync(path.resolve(BIN, "..", part), path.join(folder, part), { recursive: true });
    const { status, stderr } = spawnSync(process.execPath, [path.join(folder, "bin/drwn.js"), "status"], {
      encoding: "utf8",
      timeout: 30_000,
    });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("install drwn again") });
  });

  test("ends after a bug of its own, whatever the command has left open", () => {
    const home = temporaryFolder();
    writeTree(home, {
      "broken.cjs": `setInterval(() => {}, 1000); JSON.parse = () => { throw new TypeError("broken"); };\n`,
    });
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--require", path.join(home, "broken.cjs"), path.join(BIN, "drwn.js"), "install"],
      { encoding: "utf8", cwd: home, env: { HOME: home }, timeout: 30_000 },
    );
    expect({ status, stderr }).toEqual({ status: 70, stderr: expect.stringContaining("TypeError: broken") });
  });

  test("ends as its work says", () => {
    expect(runAround("process.exitCode = 3;")).toEqual({ status: 3, stdout: "" });
    expect(runAround("await null;")).toEqual({ status: 0, stdout: "" });
    expect(runAround("process.exit(0);")).toEqual({ status: 0, stdout: "" });
    expect(runAround(`throw new Error("broken");`)).toEqual({ status: 1, stdout: "" });
  });
});
