import { beforeEach, describe, expect, inject, test } from "vitest";
import type { AgentId } from "../../src/policy/event.ts";
import { sweep } from "../support/sweep.ts";
import { armGuard } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import type { ModelRun } from "./mock-model.ts";
import { denyTouch, hookAt, REASON } from "./policies.ts";
import { REAL, type RealAgent, skipIfMissing } from "./real-agents.ts";
import type { ToolCall } from "./wire-format.ts";

interface Agent extends RealAgent {
  /** Gives this task to a subagent. */
  spawns: (task: string) => ToolCall;
  /** How a subagent says that it is done, if text isn't enough. */
  ends?: ToolCall;
}

const AGENTS: readonly Agent[] = [
  {
    ...REAL["claude-code"],
    spawns: (prompt) => ({ tool: "Agent", input: { description: "a task", prompt, subagent_type: "general-purpose" } }),
  },
  {
    ...REAL.codex,
    spawns: (message) => ({ tool: "spawn_agent", namespace: "multi_agent_v1", input: { message } }),
  },
  {
    ...REAL["copilot-cli"],
    spawns: (prompt) => ({
      tool: "task",
      input: { description: "a task", name: "helper", prompt, agent_type: "general-purpose" },
    }),
  },
  {
    ...REAL["gemini-cli"],
    spawns: (prompt) => ({ tool: "invoke_agent", input: { agent_name: "generalist", prompt } }),
    ends: { tool: "complete_task", input: { result: "done" } },
  },
  {
    ...REAL.opencode,
    spawns: (prompt) => ({ tool: "task", input: { description: "a task", prompt, subagent_type: "general" } }),
  },
  {
    ...REAL.kilo,
    spawns: (prompt) => ({ tool: "task", input: { description: "a task", prompt, subagent_type: "general" } }),
  },
  {
    // It has none of its own: extensions and skills start further Pis.
    ...REAL.pi,
    spawns: (task) => ({
      tool: "bash",
      input: { command: `'${inject("node22")}' '${inject("others").pi}' -p ${task} --model mock/m` },
    }),
  },
  {
    ...REAL["qwen-code"],
    spawns: (prompt) => ({ tool: "agent", input: { description: "a task", prompt, subagent_type: "general-purpose" } }),
  },
];

/** The agents that give a subagent the text of a hook at its start. */
const TELLING: ReadonlySet<AgentId> = new Set(["claude-code", "codex", "copilot-cli"]);
/** How many times the end of a subagent can be held, in the agents that tell of it: Qwen Code counts for itself. */
const HELD: Readonly<Partial<Record<AgentId, number>>> = {
  "claude-code": 8,
  codex: 8,
  "copilot-cli": 8,
  "qwen-code": 7,
};
const TASK = "THE-TASK-OF-THE-SUBAGENT";

function until(condition: string): string {
  return `for i in $(seq 300); do ${condition} && break; sleep 0.1; done`;
}

inNewWorlds();

describe.each(sweep(AGENTS, 2).map((agent) => [agent.runtime, agent] as const))(
  "a subagent in %s",
  (runtime, agent) => {
    beforeEach(({ skip }) => skipIfMissing(agent, skip));

    /**
     * The subagent tries two calls. The agent that gave it the task waits with this command, even if it doesn't have to.
     */
    function runTask(wait = until("[ -e allowed.txt ]")): Promise<ModelRun> {
      const [denied, allowed, end] = agent.steps("touch ran.txt", "echo one > allowed.txt");
      const all = [denied, allowed, agent.ends, end].flatMap((step) => step ?? []);
      return agent.run(world, {
        steps: [agent.spawns(TASK), ...agent.steps(wait)],
        subagent: { task: TASK, steps: all },
      });
    }

    test("is held by the guard of the session that started it, and told why", async () => {
      await armGuard(world, denyTouch, runtime);
      const { subturns } = await runTask();
      expect([world.has("ran.txt"), world.has("allowed.txt")]).toEqual([false, true]);
      expect(subturns.at(-1)?.results[0]?.text).toContain(REASON);
    });

    test("starts with a hook's text, where the agent tells of its start", async ({ skip }) => {
      skip(!TELLING.has(runtime), `${runtime} does not tell of it`);
      const body = `return { action: "proceed", additionalContext: "TEXT-FOR-" + event.input.type };`;
      await armGuard(world, hookAt("subagent.start", body), runtime);
      expect(JSON.stringify((await runTask()).subturns[0]?.body)).toMatch(/TEXT-FOR-(?:default|general-purpose)/u);
    });

    test("is kept going by a hook at its end, where the agent tells of that, and ends", async ({ skip }) => {
      const times = HELD[runtime];
      skip(times === undefined, `${runtime} does not tell of it`);
      await armGuard(
        world,
        hookAt("subagent.stop", `return { action: "keep-going", reason: "ONE-MORE-THING" };`),
        runtime,
      );
      // It is kept going so many times, and then let go.
      const told = `cat '${world.env["DRWN_HOME"]}'/projects/*/journal.jsonl | grep -c subagent.stop`;
      const { subturns } = await runTask(until(`[ "$(${told})" -ge ${(times ?? 0) + 1} ]`));
      expect(subturns.filter(({ body }) => JSON.stringify(body).includes("ONE-MORE-THING"))).toHaveLength(times ?? 0);
    });
  },
);
