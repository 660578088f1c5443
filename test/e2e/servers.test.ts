import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import type { AgentId } from "../../src/policy/event.ts";
import { sweep } from "../support/sweep.ts";
import { bash, claudeInTerminal, runClaude } from "./claude.ts";
import { codexInTerminal, runCodex, shell } from "./codex.ts";
import { drwn } from "./drwn.ts";
import { addServer, wasStarted } from "./greeter.ts";
import { startMockModel } from "./mock-model.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { type ProcessRequest, runProcess } from "./process.ts";
import { commandLineOf, commandsOf } from "./run-others.ts";
import { openTerminal, whyNoTerminal } from "./terminal.ts";
import type { Step } from "./wire-format.ts";
import { World } from "./world.ts";

interface Agent {
  runtime: AgentId;
  client?: OtherClient;
  /** What `write` says about it. */
  said: string;
  /** An unattended turn, in a freshly cloned folder if the agent knows such folders. */
  alone: (world: World, isNew: boolean) => Promise<unknown>;
  /** Whether it then starts the server. */
  startsInNew: boolean;
  steps: Step[];
  /** In a terminal: what it asks in a new folder, and the keys for yes. */
  attended: (world: World, url: string) => ProcessRequest;
  asks: string;
  yes: readonly string[];
}

const ONCE_TRUSTED = "starts MCP servers in a folder that you trust, without asking about each";

function other(client: OtherClient): Pick<Agent, "client" | "alone" | "steps" | "attended"> {
  const steps = commandsOf(client, "true");
  return {
    client,
    steps,
    alone: async (world, isNew) => {
      const model = await startMockModel(steps);
      try {
        return await runProcess(commandLineOf(client, world, { url: model.url, how: "alone", isNew }));
      } finally {
        await model.close();
      }
    },
    attended: (world, url) => commandLineOf(client, world, { url, how: "attended", isNew: true }),
  };
}

const AGENTS: readonly Agent[] = [
  {
    runtime: "claude-code",
    said: "asks about each MCP server before it starts it; `claude -p` starts them unasked",
    alone: (world) => runClaude(world, { steps: bash("true") }),
    startsInNew: true,
    steps: bash("true"),
    attended: claudeInTerminal,
    asks: "New MCP server found in this project: greeter",
    yes: ["\u001b[A", "\u001b[A", "\r"],
  },
  {
    runtime: "codex",
    said: ONCE_TRUSTED,
    alone: (world, isNew) => runCodex(world, { steps: shell("true"), isNew }),
    startsInNew: false,
    steps: shell("true"),
    attended: (world, url) => codexInTerminal(world, { url, isNew: true }),
    asks: "Trust this folder?",
    yes: ["\r"],
  },
  {
    runtime: "copilot-cli",
    said: ONCE_TRUSTED,
    ...other("copilot"),
    startsInNew: false,
    asks: "Do you trust the files in this folder?",
    yes: ["\r"],
  },
  {
    runtime: "gemini-cli",
    said: ONCE_TRUSTED,
    ...other("gemini"),
    startsInNew: false,
    asks: "Don't trust",
    yes: ["\r"],
  },
];

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

describe.each(sweep(AGENTS, 1).map((agent) => [agent.runtime, agent] as const))(
  "the MCP server of a card, in %s",
  (runtime, agent) => {
    beforeEach(async ({ skip }) => {
      const { client } = agent;
      if (client !== undefined) skip(inject("others")[client] === undefined, missing(client));
      await addServer(world);
      const { stdout } = await drwn(world, "write", "--runtime", runtime);
      expect(stdout).toContain(agent.said);
    });

    test("is started unasked where the folder is trusted, and in one that is new as `write` says", async () => {
      await agent.alone(world, true);
      expect(wasStarted(world)).toBe(agent.startsInNew);
      await agent.alone(world, false);
      expect(wasStarted(world)).toBe(true);
    });

    test("is not started before a person at the terminal has answered, and then it is", async ({ skip }) => {
      const reason = whyNoTerminal();
      skip(reason !== undefined, reason);
      const model = await startMockModel(agent.steps);
      const terminal = openTerminal(agent.attended(world, model.url));
      try {
        await terminal.shows(agent.asks);
        expect(wasStarted(world)).toBe(false);
        for (const key of agent.yes) {
          // Programs sometimes ignore a key that comes faster than a person types.
          await terminal.rests();
          terminal.press(key);
        }
        await expect.poll(() => wasStarted(world), { timeout: 30_000 }).toBe(true);
      } finally {
        await terminal.leave();
        await model.close();
      }
    });
  },
);
