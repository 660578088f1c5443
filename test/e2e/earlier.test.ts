import { expect, inject, test } from "vitest";
import { armGuard } from "./drwn.ts";
import { runMastra, workspaceShell } from "./mastra.ts";
import type { ModelRun } from "./mock-model.ts";
import { EARLIER } from "./other-clients.ts";
import { denyTouch, REASON } from "./policies.ts";
import { REAL, runCommands, type Shell } from "./real-agents.ts";
import { World } from "./world.ts";

const AGENTS: Readonly<Record<keyof typeof EARLIER, Shell<Pick<ModelRun, "results">>>> = {
  claude: REAL["claude-code"],
  codex: REAL.codex,
  copilot: REAL["copilot-cli"],
  gemini: REAL["gemini-cli"],
  kilo: REAL.kilo,
  mastra: { runtime: "mastra", run: runMastra, steps: workspaceShell },
  opencode: REAL.opencode,
  pi: REAL.pi,
  qwen: REAL["qwen-code"],
};

/** The seed draws one; without a seed, all that are installed. */
const drawn = Object.entries(inject("earlier")) as [keyof typeof EARLIER, string][];

test.each(drawn.map(([client, program]) => [client, EARLIER[client].version, program] as const))(
  "%s %s, the version before, is held by a guard and told why",
  async (client, _, program) => {
    const world = new World();
    try {
      world.programs[client] = program;
      const agent = AGENTS[client];
      await armGuard(world, denyTouch, agent.runtime);
      const { results } = await runCommands(agent, world, "touch ran.txt", "echo one > allowed.txt");
      expect([world.has("ran.txt"), world.has("allowed.txt")]).toEqual([false, true]);
      expect(results[0]?.text).toContain(REASON);
    } finally {
      world.remove();
    }
  },
);
