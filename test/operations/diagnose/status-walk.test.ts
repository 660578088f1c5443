import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/cards.ts";
import { guardedProject } from "../../support/projects.ts";

const PROGRAM = path.resolve(import.meta.dirname, "../../../bin/drwn.js");

/** Counts what a process asks the file system for, entries of folders included, and prints it at the end. */
const COUNTING = `
const fs = require("node:fs");
let asked = 0;
for (const name of Object.keys(fs).filter((name) => name.endsWith("Sync"))) {
  const real = fs[name];
  fs[name] = Object.assign(function (...given) {
    const result = real.apply(this, given);
    asked += 1 + (Array.isArray(result) ? result.length : 0);
    return result;
  }, real);
}
require("node:module").syncBuiltinESMExports();
process.on("exit", () => fs.writeSync(1, "\\nasked " + asked));
`;

test("status asks the file system as often in a project of 20,000 folders as in a small one", async () => {
  const host = await guardedProject();
  const counting = path.join(temporaryFolder(), "counting.cjs");
  fs.writeFileSync(counting, COUNTING);
  const count = (): number => {
    const env = { PATH: process.env["PATH"], HOME: host.home, DRWN_HOME: host.drwnHome };
    const words = ["--require", counting, PROGRAM, "status"];
    const { stdout } = spawnSync(process.execPath, words, { cwd: host.cwd, env, encoding: "utf8" });
    expect(stdout).toContain("Guarded: Claude Code");
    return Number(/asked (\d+)$/u.exec(stdout)?.[1]);
  };
  fs.mkdirSync(path.join(host.cwd, "src"));
  const small = count();
  expect(small).toBeGreaterThan(100);
  for (let at = 0; at < 20_000; at += 1)
    fs.mkdirSync(path.join(host.cwd, `src/a${at % 100}/b${at}`), { recursive: true });
  expect(count()).toBe(small);
});
