import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bash, runClaude } from "./claude.ts";
import { armGuard } from "./drwn.ts";
import { ranAndPrinted, wasBlocked } from "./outcomes.ts";
import {
  addContext,
  askAlways,
  denyTouch,
  failingEnforcement,
  failingObserver,
  failures,
  REASON,
  rewrite,
} from "./policies.ts";
import { World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

test("a denied call does not run and the model gets the reason", async () => {
  await armGuard(world, denyTouch);
  const { results } = await runClaude(world, { steps: bash("touch ran.txt") });
  expect(world.has("ran.txt")).toBe(false);
  expect(results).toEqual([wasBlocked(REASON)]);
});

test("an allowed call runs", async () => {
  await armGuard(world, denyTouch);
  const { results } = await runClaude(world, { steps: bash("echo one > ran.txt && echo finished") });
  expect(world.read("ran.txt")).toBe("one\n");
  expect(results).toEqual([ranAndPrinted("finished")]);
});

test("a rewritten input is what runs", async () => {
  await armGuard(world, rewrite);
  await runClaude(world, { steps: bash("echo original > ran.txt") });
  expect(world.read("ran.txt")).toBe("rewritten\n");
});

test("the context of a policy reaches the model", async () => {
  await armGuard(world, addContext);
  const { turns, results } = await runClaude(world, { steps: bash("echo finished") });
  expect(results).toEqual([ranAndPrinted("")]);
  expect(JSON.stringify(turns.at(-1)?.body)).toContain("CONTEXT-OF-THE-GUARD");
});

test("ask stops the call of a -p run, where nobody can answer", async () => {
  await armGuard(world, askAlways);
  const { results } = await runClaude(world, { steps: bash("touch ran.txt") });
  expect(world.has("ran.txt")).toBe(false);
  expect(results).toEqual([wasBlocked(REASON)]);
});

test("the failure of an observer changes nothing", async () => {
  await armGuard(world, failingObserver);
  const { results } = await runClaude(world, { steps: bash("touch ran.txt && echo finished") });
  expect(world.has("ran.txt")).toBe(true);
  expect(results).toEqual([ranAndPrinted("finished")]);
});

test.each(Object.entries(failures))("an enforcement policy that %s blocks the call", async (_, body) => {
  await armGuard(world, failingEnforcement(body));
  const { results } = await runClaude(world, { steps: bash("touch ran.txt") });
  expect(world.has("ran.txt")).toBe(false);
  expect(results).toEqual([wasBlocked()]);
});

test.each<[string, (launcher: string) => void]>([
  ["has nothing in it", (launcher) => fs.truncateSync(launcher)],
  ["is gone", (launcher) => fs.rmSync(launcher)],
  ["isn't executable", (launcher) => fs.chmodSync(launcher, 0o644)],
  ["is a folder", (launcher) => fs.rmSync(launcher) ?? fs.mkdirSync(launcher)],
  ["is broken", (launcher) => fs.writeFileSync(launcher, "#!/bin/sh\nexit 7\n")],
])("where the launcher %s, the call is blocked, by a line that names it", async (_, harm) => {
  await armGuard(world, denyTouch);
  harm(path.join(world.home, ".agents/drwn/bin/hook"));
  const { results } = await runClaude(world, { steps: bash("touch ran.txt") });
  expect(world.has("ran.txt")).toBe(false);
  expect(results).toEqual([wasBlocked("bin/hook claude-code pre]: failed")]);
});
