import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bash, claudeInTerminal } from "./claude.ts";
import { codexInTerminal, shell } from "./codex.ts";
import { armGuard } from "./drwn.ts";
import { startMockModel } from "./mock-model.ts";
import { denyTouch } from "./policies.ts";
import { openTerminal, whyNoTerminal } from "./terminal.ts";
import { World } from "./world.ts";

const AGENTS = [
  ["claude-code", bash, (world: World, url: string) => claudeInTerminal(world, url)],
  ["codex", shell, (world: World, url: string) => codexInTerminal(world, { url, isNew: false })],
] as const;

test.for(AGENTS)(
  "in %s a person is told which guard denied and how to see more, and the model isn't",
  async (agent, { skip }) => {
    const reason = whyNoTerminal();
    skip(reason !== undefined, reason);
    const [runtime, steps, start] = agent;
    const world = new World();
    fs.mkdirSync(path.join(world.home, ".codex"));
    await armGuard(world, denyTouch, runtime);
    const model = await startMockModel(steps("touch ran.txt"));
    const terminal = openTerminal(start(world, model.url));
    try {
      await terminal.shows("[drwn] @me/guard#gate denied this call. More: drwn why");
      await expect.poll(() => model.seen().results, { timeout: 30_000 }).toHaveLength(1);
      expect(model.seen().results[0]?.text).toContain("[@me/guard#gate]");
      expect(JSON.stringify(model.seen().all)).not.toContain("drwn why");
      expect(world.has("ran.txt")).toBe(false);
    } finally {
      await terminal.leave();
      await model.close();
      world.remove();
    }
  },
);
