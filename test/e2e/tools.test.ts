import fs from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { runClaude } from "./claude.ts";
import { armGuard, here } from "./drwn.ts";
import { wasBlocked } from "./outcomes.ts";
import { denyTouch, REASON } from "./policies.ts";
import { runToSuccess } from "./process.ts";
import { armedWorld, removeWorlds } from "./ways/worlds.ts";
import { World, whyNoEtc } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());
afterAll(removeWorlds);

/** The shell of Claude Code that isn't called `Bash`. */
const monitor = (command: string) => [
  { tool: "Monitor", input: { command, description: "watch", timeout_ms: 5_000 } },
  { text: "done" },
];
const ALLOWED = ["--allowedTools", "Monitor", "Bash", "ExitWorktree", "EnterWorktree"];

async function armCatalogue(...cards: string[]): Promise<void> {
  await here(world, "init");
  for (const card of cards) await here(world, "add", card);
  for (const card of cards) await here(world, "card", "trust", card, "--hooks", "--yes");
  await here(world, "write", "--runtime", "claude-code");
}

const DENIED: readonly [command: string, reason: string][] = [
  ["rm -rf /home/nobody-is-here", "/home/nobody-is-here"],
  ["cat .env", ".env"],
  ["git push --force origin main", "force"],
];

test("with the catalogue in force, what it denies doesn't run in a Monitor", async () => {
  await armCatalogue("@drwn/git", "@drwn/files", "@drwn/secrets", "@drwn/exec");
  world.write(".env", "TOKEN=the-secret\n");
  const steps = DENIED.flatMap(([command]) => monitor(command).slice(0, 1));
  const { results, turns } = await runClaude(world, { steps: [...steps, { text: "done" }], args: ALLOWED });
  expect(results).toEqual(DENIED.map(([, reason]) => wasBlocked(reason)));
  expect(JSON.stringify(turns)).not.toContain("the-secret");
});

test("without a guard a Monitor runs its command", async () => {
  const { results } = await runClaude(world, { steps: monitor("touch ran.txt"), args: ALLOWED });
  await expect.poll(() => world.has("ran.txt")).toBe(true);
  expect(results).toEqual([expect.objectContaining({ isError: false })]);
});

test("a consent in another project doesn't disarm a guard on Bash in this one", async () => {
  await armGuard(world, denyTouch, "claude-code");
  const here = world.project;
  const other = path.join(world.folder, "other");
  fs.mkdirSync(other);
  Object.assign(world, { project: other });
  await armCatalogue("@drwn/git");
  Object.assign(world, { project: here });
  const { results } = await runClaude(world, { steps: monitor("touch ran.txt"), args: ALLOWED });
  expect(results).toEqual([wasBlocked(REASON)]);
  expect(world.has("ran.txt")).toBe(false);
});

test("root's floor holds a Monitor", { timeout: 300_000 }, async ({ skip }) => {
  const reason = whyNoEtc();
  skip(reason !== undefined, reason);
  const floor = await armedWorld("system");
  const { results } = await runClaude(floor, { steps: monitor("touch ran.txt"), args: ALLOWED });
  expect(results).toEqual([wasBlocked(REASON)]);
  expect(floor.has("ran.txt")).toBe(false);
});

/** Goes into a worktree of its own, leaves a file there that nobody has committed, and leaves with it thrown away. */
const LEAVING = [
  { tool: "EnterWorktree", input: { name: "side" } },
  { tool: "Bash", input: { command: "echo work > uncommitted.txt", description: "work" } },
  { tool: "ExitWorktree", input: { action: "remove", discard_changes: true } },
  { text: "done" },
];

test.each([
  ["is refused with @drwn/git", true],
  ["happens without a guard", false],
])("throwing a worktree away with uncommitted work in it, by ExitWorktree, %s", async (_, isGuarded) => {
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  for (const args of [
    ["init", "-q"],
    [...author, "commit", "-q", "--allow-empty", "-m", "first"],
  ])
    await runToSuccess({ program: "git", args, cwd: world.project, env: world.env });
  if (isGuarded) await armCatalogue("@drwn/git");
  const { results } = await runClaude(world, { steps: LEAVING, args: ALLOWED });
  expect(results[2]).toMatchObject({
    isError: isGuarded,
    text: expect.stringContaining(isGuarded ? "keep-work" : "Discarded 1 uncommitted file"),
  });
  expect(world.has(".claude/worktrees/side/uncommitted.txt")).toBe(isGuarded);
});
