import { expect, test } from "vitest";
import { bash, runClaude } from "./claude.ts";
import { addGuard, armGuard, diagnose, drwn, GUARD_SKILL } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { ranAndPrinted } from "./outcomes.ts";
import { denyTouch } from "./policies.ts";

inNewWorlds();

test("after untrust the same call runs, without a new write", async () => {
  await armGuard(world, denyTouch);
  await runClaude(world, { steps: bash("touch ran.txt") });
  expect(world.has("ran.txt")).toBe(false);
  await drwn(world, "card", "untrust", "@me/guard", "--hooks");
  await runClaude(world, { steps: bash("touch ran.txt") });
  expect(world.has("ran.txt")).toBe(true);
});

test("a card installed but not trusted has its skill materialized and its hook silent", async () => {
  await addGuard(world, denyTouch);
  await drwn(world, "write");
  const { events, results } = await runClaude(world, { steps: bash("touch ran.txt && echo finished") });
  expect(world.has(`.claude/skills/${GUARD_SKILL}/SKILL.md`)).toBe(true);
  expect(events.find(({ subtype }) => subtype === "init")?.["skills"]).toContain(GUARD_SKILL);
  expect(world.has("ran.txt")).toBe(true);
  expect(results).toEqual([ranAndPrinted("finished")]);
  expect((await diagnose(world)).hookIssues).toEqual([
    expect.objectContaining({ card: "@me/guard", fix: expect.stringContaining("drwn card trust @me/guard --hooks") }),
  ]);
});

test("doctor has nothing to say of a guard that stops the agent", async () => {
  await armGuard(world, denyTouch);
  expect(await diagnose(world)).toMatchObject({ ok: true, hookIssues: [] });
});
