import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { bash, hookerWorld, policy } from "../world.ts";

const DRWN = path.resolve(import.meta.dirname, "../../../../bin/drwn.js");

test("drwn hook run --dialect hooker answers as the program behind it does", () => {
  const { send, folder } = hookerWorld(policy("p", "on :PreToolUse", 'gate "no"'));
  const input = JSON.stringify({ cwd: folder, ...bash("x") });
  const env = { PATH: process.env["PATH"], HOME: folder, DRWN_HOME: path.join(folder, "drwn") };
  const run = (...flags: string[]) =>
    spawnSync(process.execPath, [DRWN, "hook", "run", ...flags], { input, env, encoding: "utf8" });
  const { stdout, exitCode } = send(input);
  expect(stdout).toContain('"deny"');
  // As it is wired, and as oclif understands it too.
  for (const flags of [["--dialect", "hooker"], ["--dialect=hooker"]]) {
    expect(run(...flags)).toMatchObject({ stdout, stderr: "", status: exitCode });
  }
  expect(run("--dialect", "nobody").status).toBe(2);
});
