import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { armGuard } from "./drwn.ts";
import { denyTouch } from "./policies.ts";
import { attend, REAL, skipWithoutTerminal } from "./real-agents.ts";
import { World } from "./world.ts";

const AGENTS = [REAL["claude-code"], REAL.codex];

test.for(AGENTS)(
  "in $runtime a person is told which guard denied and how to see more, and the model isn't",
  async ({ runtime, steps, start }, { skip }) => {
    skipWithoutTerminal(skip);
    const world = new World();
    fs.mkdirSync(path.join(world.home, ".codex"));
    await armGuard(world, denyTouch, runtime);
    await attend(
      steps("touch ran.txt"),
      (url) => start(world, url),
      async (terminal, model) => {
        await terminal.shows("[drwn] @me/guard#gate denied this call. More: drwn why");
        await expect.poll(() => model.seen().results, { timeout: 30_000 }).toHaveLength(1);
        expect(model.seen().results[0]?.text).toContain("[@me/guard#gate]");
        expect(JSON.stringify(model.seen().all)).not.toContain("drwn why");
        expect(world.has("ran.txt")).toBe(false);
      },
    );
    world.remove();
  },
);
