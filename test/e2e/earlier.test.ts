import { expect, inject, test } from "vitest";
import type { AgentId } from "../../src/policy/event.ts";
import { bash, runClaude } from "./claude.ts";
import { runCodex, shell } from "./codex.ts";
import { armGuard } from "./drwn.ts";
import { runMastra, workspaceShell } from "./mastra.ts";
import type { ModelRun } from "./mock-model.ts";
import { EARLIER, type OtherClient } from "./other-clients.ts";
import { denyTouch, REASON } from "./policies.ts";
import { commandsOf, runOther } from "./run-others.ts";
import { World } from "./world.ts";

type Run = (world: World, ...commands: string[]) => Promise<Pick<ModelRun, "results">>;

const other =
  (client: OtherClient): Run =>
  (world, ...commands) =>
    runOther(client, world, { steps: commandsOf(client, ...commands) });

const AGENTS: Readonly<Record<keyof typeof EARLIER, readonly [AgentId, Run]>> = {
  claude: ["claude-code", (world, ...commands) => runClaude(world, { steps: bash(...commands) })],
  codex: ["codex", (world, ...commands) => runCodex(world, { steps: shell(...commands) })],
  copilot: ["copilot-cli", other("copilot")],
  gemini: ["gemini-cli", other("gemini")],
  kilo: ["kilo", other("kilo")],
  mastra: ["mastra", (world, ...commands) => runMastra(world, { steps: workspaceShell(...commands) })],
  opencode: ["opencode", other("opencode")],
  pi: ["pi", other("pi")],
  qwen: ["qwen-code", other("qwen")],
};

/** The seed draws one; without a seed, all that are installed. */
const drawn = Object.entries(inject("earlier")) as [keyof typeof EARLIER, string][];

test.each(drawn.map(([client, program]) => [client, EARLIER[client].version, program] as const))(
  "%s %s, the version before, is held by a guard and told why",
  async (client, _, program) => {
    const world = new World();
    try {
      world.programs[client] = program;
      const [runtime, run] = AGENTS[client];
      await armGuard(world, denyTouch, runtime);
      const { results } = await run(world, "touch ran.txt", "echo one > allowed.txt");
      expect([world.has("ran.txt"), world.has("allowed.txt")]).toEqual([false, true]);
      expect(results[0]?.text).toContain(REASON);
    } finally {
      world.remove();
    }
  },
);
