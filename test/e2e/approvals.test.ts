import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import type { AgentId } from "../../src/policy/event.ts";
import { sweep } from "../support/sweep.ts";
import { bash, claudeInTerminal } from "./claude.ts";
import { codexInTerminal } from "./codex.ts";
import { armGuard, journal } from "./drwn.ts";
import { type MockModel, startMockModel } from "./mock-model.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { hookAt } from "./policies.ts";
import type { ProcessRequest } from "./process.ts";
import { commandLineOf, commandsOf } from "./run-others.ts";
import { openTerminal, whyNoTerminal } from "./terminal.ts";
import type { Step } from "./wire-format.ts";
import { World } from "./world.ts";

interface Agent {
  runtime: AgentId;
  client?: OtherClient;
  steps: Step[];
  /** Starts the agent with a person's own rules, which make it ask about the command. */
  start: (world: World, url: string) => ProcessRequest;
  /** A question that comes earlier. */
  before?: string;
  /** The lifecycle events that hooks are told about. */
  tells: readonly ("approval.before" | "notify")[];
}

const COMMAND = "touch ran.txt";

const OUT_OF_THE_SANDBOX = { sandbox_permissions: "require_escalated", justification: "May I?" };

const AGENTS: readonly Agent[] = [
  {
    runtime: "claude-code",
    tells: ["approval.before", "notify"],
    steps: bash(COMMAND),
    start: (world, url) => {
      const request = claudeInTerminal(world, url);
      return { ...request, args: request.args.filter((word) => word !== "--allowedTools" && word !== "Bash") };
    },
  },
  {
    runtime: "codex",
    tells: ["approval.before"],
    steps: [{ tool: "exec_command", input: { cmd: COMMAND, ...OUT_OF_THE_SANDBOX } }, { text: "done" }],
    start: (world, url) => {
      const request = codexInTerminal(world, { url, isNew: false });
      const rules = ["-c", 'approval_policy="on-request"', "-c", 'sandbox_mode="read-only"'];
      return { ...request, args: [...rules, ...request.args] };
    },
  },
  {
    runtime: "copilot-cli",
    client: "copilot",
    tells: ["approval.before", "notify"],
    steps: commandsOf("copilot", COMMAND),
    start: (world, url) => commandLineOf("copilot", world, { url, how: "attended", isNew: true }),
    before: "Do you trust the files in this folder?",
  },
  {
    runtime: "gemini-cli",
    client: "gemini",
    tells: ["notify"],
    steps: commandsOf("gemini", COMMAND),
    start: (world, url) => {
      const request = commandLineOf("gemini", world, { url, how: "attended" });
      return { ...request, args: request.args.map((word) => (word === "yolo" ? "default" : word)) };
    },
  },
];

let world: World;
beforeEach(() => {
  world = new World();
  fs.mkdirSync(path.join(world.home, ".codex"));
});
afterEach(() => world.remove());

function thatTellOf(event: Agent["tells"][number]) {
  return AGENTS.filter(({ tells }) => tells.includes(event)).map((agent) => [agent.runtime, agent] as const);
}

test.for(sweep(thatTellOf("approval.before"), 1))(
  "what a person in front of %s would be asked about is refused by a hook, and the model is told why",
  async ([, agent], { skip }) => {
    const reason = whyNot(agent);
    skip(reason !== undefined, reason);
    const hook = hookAt("approval.before", `return { action: "deny", reason: "NOT-APPROVED" };`);
    await attend(agent, hook, async (model) => {
      const told = () => model.seen().results[0]?.text ?? "";
      await expect.poll(told, { timeout: 60_000 }).toContain("NOT-APPROVED");
      expect(world.has("ran.txt")).toBe(false);
    });
  },
);

test.for(sweep(thatTellOf("notify"), 1))(
  "a hook on notify is told when %s waits for a person",
  async ([, agent], { skip }) => {
    const reason = whyNot(agent);
    skip(reason !== undefined, reason);
    await attend(agent, hookAt("notify", 'throw new Error("NOTED " + event.input.message);'), async () => {
      const noted = async () =>
        (await journal(world)).flatMap(({ policies }) => policies.map(({ failure }) => failure));
      await expect.poll(noted, { timeout: 60_000, interval: 2_000 }).toContainEqual(expect.stringMatching(/NOTED .+/u));
    });
  },
);

function whyNot({ client }: Agent): string | undefined {
  return client !== undefined && inject("others")[client] === undefined ? missing(client) : whyNoTerminal();
}

/** Puts a person in front of the agent, in a project with this hook, until it asks about the command. */
async function attend(
  { runtime, steps, start, before }: Agent,
  hook: string,
  watch: (model: MockModel) => Promise<void>,
): Promise<void> {
  await armGuard(world, hook, runtime);
  const model = await startMockModel(steps);
  const terminal = openTerminal(start(world, model.url));
  try {
    if (before !== undefined) {
      await terminal.shows(before);
      terminal.press("\r");
    }
    await watch(model);
  } finally {
    await terminal.leave();
    await model.close();
  }
}
