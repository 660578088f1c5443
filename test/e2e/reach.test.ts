import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { bash, runClaude } from "./claude.ts";
import { armGuard } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { ranAndPrinted, wasBlocked } from "./outcomes.ts";
import { denyTouch, REASON } from "./policies.ts";
import { runToSuccess } from "./process.ts";

inNewWorlds();
beforeEach(async () => {
  await git("init", "--quiet");
  await armGuard(world, denyTouch);
});

test("`cd / && …` is denied like the rest", async () => {
  const { results } = await runClaude(world, { steps: bash(`cd / && touch ${world.at("ran.txt")}`) });
  expect(world.has("ran.txt")).toBe(false);
  expect(results).toEqual([wasBlocked(REASON)]);
});

test("a call after `cd /` is denied like the rest", async () => {
  const { results } = await runClaude(world, { steps: bash("cd /", `touch ${world.at("ran.txt")}`) });
  expect(world.has("ran.txt")).toBe(false);
  expect(results).toEqual([ranAndPrinted(""), wasBlocked(REASON)]);
});

test("a session started in a subfolder is guarded", async () => {
  const cwd = world.at("packages/deep");
  fs.mkdirSync(cwd, { recursive: true });
  const { results } = await runClaude(world, { steps: bash("touch ran.txt"), cwd });
  expect(fs.readdirSync(cwd)).toEqual([]);
  expect(results).toEqual([wasBlocked(REASON)]);
});

test("a session started in a new git worktree is guarded", async () => {
  const tree = path.join(world.folder, "tree");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "first");
  await git("worktree", "add", "--quiet", tree);
  const { results } = await runClaude(world, { steps: bash("touch ran.txt"), cwd: tree });
  expect(fs.existsSync(path.join(tree, "ran.txt"))).toBe(false);
  expect(results).toEqual([wasBlocked(REASON)]);
});

test("a session outside the project runs as if drwn were not there", async () => {
  const elsewhere = path.join(world.folder, "elsewhere");
  fs.mkdirSync(elsewhere);
  const { results } = await runClaude(world, { steps: bash("touch ran.txt && echo finished"), cwd: elsewhere });
  expect(fs.readdirSync(elsewhere)).toEqual(["ran.txt"]);
  expect(results).toEqual([ranAndPrinted("finished")]);
});

function git(...args: string[]) {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false"];
  return runToSuccess({ program: "git", args: [...identity, ...args], cwd: world.project, env: world.env });
}
