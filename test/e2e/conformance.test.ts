import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import { codex } from "../../src/agents/codex/adapter.ts";
import { expectedOutcome } from "../support/conformance.ts";
import { bash, runClaude } from "./claude.ts";
import { runCodex, shell } from "./codex.ts";
import { policyThat, ROWS } from "./conformance-rows.ts";
import { addGuard, drwn } from "./drwn.ts";
import { World } from "./world.ts";

const AGENTS = [
  { adapter: claudeCode, run: (world: World, command: string) => runClaude(world, { steps: bash(command) }) },
  { adapter: codex, run: (world: World, command: string) => runCodex(world, { steps: shell(command) }) },
];

test.each(
  AGENTS.flatMap((agent) => ROWS.map(([kind, behaviour]) => [agent.adapter.title, kind, behaviour, agent] as const)),
)(
  "%s: of an %s policy that says or does: %s, the call comes to what the table says",
  async (_, kind, behaviour, agent) => {
    const { adapter, run } = agent;
    const world = new World();
    try {
      fs.mkdirSync(path.join(world.home, ".codex"));
      await addGuard(world, policyThat(kind, behaviour));
      await drwn(world, "card", "trust", "@me/guard", "--hooks", "--yes");
      await drwn(world, "write", "--runtime", adapter.runtime);
      await run(world, "touch ran.txt");
      const outcome = expectedOutcome({ adapter, behaviour, kind, phase: "pre-tool" });
      expect(world.has("ran.txt")).toBe(outcome === "runs");
    } finally {
      world.remove();
    }
  },
);
