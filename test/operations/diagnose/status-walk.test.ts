import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout, MARKER_NAME } from "../../../src/contract/layout.ts";
import { temporaryFolder } from "../../support/cards.ts";
import type { TestHost } from "../../support/host.ts";
import { guardedProject, write } from "../../support/projects.ts";

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

function countingIn(host: TestHost): (...words: string[]) => number {
  const counting = path.join(temporaryFolder(), "counting.cjs");
  fs.writeFileSync(counting, COUNTING);
  return (...words) => {
    const env = { PATH: process.env["PATH"], HOME: host.home, DRWN_HOME: host.drwnHome };
    const argv = ["--require", counting, PROGRAM, ...words];
    const { stdout } = spawnSync(process.execPath, argv, { cwd: host.cwd, env, encoding: "utf8" });
    expect(stdout).toContain("Guarded: Claude Code");
    return Number(/asked (\d+)$/u.exec(stdout)?.[1]);
  };
}

test("status asks the file system no more in a project of 2,000 folders than in a small one", async () => {
  const host = await guardedProject();
  const count = countingIn(host);
  fs.mkdirSync(path.join(host.cwd, "src"));
  const small = count("status");
  expect(small).toBeGreaterThan(100);
  for (let at = 0; at < 2_000; at += 1)
    fs.mkdirSync(path.join(host.cwd, `src/a${at % 100}/b${at}`), { recursive: true });
  // A file that is a few seconds old isn't read again, so a slow run asks a little less.
  expect(count("status")).toBeLessThan(small + 100);
});

test("what other projects need is read once, however many agents there are", async () => {
  const one = await guardedProject();
  const more = await guardedProject();
  for (const folder of [".codex", ".gemini", ".cursor", ".copilot"])
    fs.mkdirSync(path.join(more.home, folder), { recursive: true });
  await write(more);
  const added = (host: TestHost): number => {
    const count = countingIn(host);
    const few = count("status");
    for (let at = 0; at < 100; at += 1) {
      const marker = path.join(layout.roots(host.drwnHome), `other/p${at}`, MARKER_NAME);
      fs.mkdirSync(path.dirname(marker), { recursive: true });
      fs.writeFileSync(marker, `${at.toString(16).padStart(64, "a")}\n`);
    }
    return count("status") - few;
  };
  expect(added(more)).toBeLessThan(1.5 * added(one));
});
