import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import type { Runtime } from "../../src/policy/event.ts";
import { bash, claudeInTerminal } from "./claude.ts";
import { codexInTerminal } from "./codex.ts";
import { armGuard } from "./drwn.ts";
import { startMockModel } from "./mock-model.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { hookAt } from "./policies.ts";
import type { ProcessRequest } from "./process.ts";
import { commandLineOf, commandsOf } from "./run-others.ts";
import { openTerminal, whyNoTerminal } from "./terminal.ts";
import type { Step } from "./wire-format.ts";
import { World } from "./world.ts";

interface Agent {
  runtime: Runtime;
  client?: OtherClient;
  steps: Step[];
  /** With a person's own rules by which the agent asks about the command. */
  start: (world: World, url: string) => ProcessRequest;
  /** A question that comes before. */
  before?: string;
}

const COMMAND = "touch ran.txt";

const OUT_OF_THE_SANDBOX = { sandbox_permissions: "require_escalated", justification: "May I?" };

const AGENTS: readonly Agent[] = [
  {
    runtime: "claude-code",
    steps: bash(COMMAND),
    start: (world, url) => {
      const request = claudeInTerminal(world, url);
      return { ...request, args: request.args.filter((word) => word !== "--allowedTools" && word !== "Bash") };
    },
  },
  {
    runtime: "codex",
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
    steps: commandsOf("copilot", COMMAND),
    start: (world, url) => commandLineOf("copilot", world, { url, how: "attended", isNew: true }),
    before: "Do you trust the files in this folder?",
  },
];

let world: World;
beforeEach(() => {
  world = new World();
  fs.mkdirSync(path.join(world.home, ".codex"));
});
afterEach(() => world.remove());

test.for(AGENTS.map((agent) => [agent.runtime, agent] as const))(
  "what a person in front of %s would be asked about is refused by a hook, and the model is told why",
  async ([runtime, { client, steps, start, before }], { skip }) => {
    if (client !== undefined) skip(inject("others")[client] === undefined, missing(client));
    const reason = whyNoTerminal();
    skip(reason !== undefined, reason);
    const hook = hookAt("approval.before", `return { action: "deny", reason: "NOT-APPROVED" };`);
    await armGuard(world, hook, runtime);
    const model = await startMockModel(steps);
    const terminal = openTerminal(start(world, model.url));
    try {
      if (before !== undefined) {
        await terminal.shows(before);
        terminal.press("\r");
      }
      const told = () => model.turns.at(-1)?.results[0]?.text ?? "";
      await expect.poll(told, { timeout: 60_000 }).toContain("NOT-APPROVED");
      expect(world.has("ran.txt")).toBe(false);
    } finally {
      await terminal.leave();
      await model.close();
    }
  },
);
