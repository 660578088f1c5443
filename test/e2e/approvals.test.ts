import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { armGuard, journal } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import type { MockModel } from "./mock-model.ts";
import { hookAt } from "./policies.ts";
import { attend, REAL, type RealAgent, skipIfMissing, skipWithoutTerminal } from "./real-agents.ts";
import { commandLineOf } from "./run-others.ts";

/** With a person's own rules, which make it ask about the command. */
interface Agent extends RealAgent {
  /** A question that comes earlier. */
  before?: string;
  /** The lifecycle events that hooks are told about. */
  tells: readonly ("approval.before" | "notify")[];
}

const OUT_OF_THE_SANDBOX = { sandbox_permissions: "require_escalated", justification: "May I?" };

const AGENTS: readonly Agent[] = [
  {
    ...REAL["claude-code"],
    tells: ["approval.before", "notify"],
    start: (world, url) => {
      const request = REAL["claude-code"].start(world, url);
      return { ...request, args: request.args.filter((word) => word !== "--allowedTools" && word !== "Bash") };
    },
  },
  {
    ...REAL.codex,
    tells: ["approval.before"],
    steps: (cmd) => [{ tool: "exec_command", input: { cmd, ...OUT_OF_THE_SANDBOX } }, { text: "done" }],
    start: (world, url) => {
      const request = REAL.codex.start(world, url);
      const rules = ["-c", 'approval_policy="on-request"', "-c", 'sandbox_mode="read-only"'];
      return { ...request, args: [...rules, ...request.args] };
    },
  },
  {
    ...REAL["copilot-cli"],
    tells: ["approval.before", "notify"],
    start: (world, url) => commandLineOf("copilot", world, { url, how: "attended", isNew: true }),
    before: "Do you trust the files in this folder?",
  },
  {
    ...REAL["gemini-cli"],
    tells: ["notify"],
    start: (world, url) => {
      const request = REAL["gemini-cli"].start(world, url);
      return { ...request, args: request.args.map((word) => (word === "yolo" ? "default" : word)) };
    },
  },
];

inNewWorlds();
beforeEach(() => fs.mkdirSync(path.join(world.home, ".codex")));

function thatTellOf(event: Agent["tells"][number]) {
  return AGENTS.filter(({ tells }) => tells.includes(event)).map((agent) => [agent.runtime, agent] as const);
}

test.for(sweep(thatTellOf("approval.before"), 1))(
  "what a person in front of %s would be asked about is refused by a hook, and the model is told why",
  async ([, agent], { skip }) => {
    skipIfMissing(agent, skip);
    skipWithoutTerminal(skip);
    const hook = hookAt("approval.before", `return { action: "deny", reason: "NOT-APPROVED" };`);
    await askAPerson(agent, hook, async (model) => {
      const told = () => model.seen().results[0]?.text ?? "";
      await expect.poll(told, { timeout: 60_000 }).toContain("NOT-APPROVED");
      expect(world.has("ran.txt")).toBe(false);
    });
  },
);

test.for(sweep(thatTellOf("notify"), 1))(
  "a hook on notify is told when %s waits for a person",
  async ([, agent], { skip }) => {
    skipIfMissing(agent, skip);
    skipWithoutTerminal(skip);
    await askAPerson(agent, hookAt("notify", 'throw new Error("NOTED " + event.input.message);'), async () => {
      const noted = async () =>
        (await journal(world)).flatMap(({ policies }) => policies.map(({ failure }) => failure));
      await expect.poll(noted, { timeout: 60_000, interval: 2_000 }).toContainEqual(expect.stringMatching(/NOTED .+/u));
    });
  },
);

/** Puts a person in front of the agent, in a project with this hook, until it asks about the command. */
async function askAPerson(
  { runtime, steps, start, before }: Agent,
  hook: string,
  watch: (model: MockModel) => Promise<void>,
): Promise<void> {
  await armGuard(world, hook, runtime);
  await attend(
    steps("touch ran.txt"),
    (url) => start(world, url),
    async (terminal, model) => {
      if (before !== undefined) {
        await terminal.shows(before);
        terminal.press("\r");
      }
      await watch(model);
    },
  );
}
