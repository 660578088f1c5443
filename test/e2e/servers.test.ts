import { beforeEach, describe, expect, test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { bash, claudeInTerminal, runClaude } from "./claude.ts";
import { codexInTerminal, runCodex, shell } from "./codex.ts";
import { drwn } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { addServer, wasStarted } from "./greeter.ts";
import { startMockModel } from "./mock-model.ts";
import type { OtherClient } from "./other-clients.ts";
import { type ProcessRequest, runProcess } from "./process.ts";
import { attend, REAL, type RealAgent, skipIfMissing, skipWithoutTerminal } from "./real-agents.ts";
import { commandLineOf, commandsOf } from "./run-others.ts";
import type { World } from "./world.ts";

interface Agent extends RealAgent {
  /** What `write` says about it. */
  said: string;
  /** An unattended turn, in a freshly cloned folder if the agent knows such folders. */
  alone: (world: World, isNew: boolean) => Promise<unknown>;
  /** Whether it then starts the server. */
  startsInNew: boolean;
  /** In a terminal: what it asks in a new folder, and the keys for yes. */
  attended: (world: World, url: string) => ProcessRequest;
  asks: string;
  yes: readonly string[];
}

const ONCE_TRUSTED = "starts MCP servers in a folder that you trust, without asking about each";

function other(client: OtherClient): Pick<Agent, "alone" | "attended"> {
  return {
    alone: async (world, isNew) => {
      const model = await startMockModel(commandsOf(client, "true"));
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
    ...REAL["claude-code"],
    said: "asks about each MCP server before it starts it; `claude -p` starts them unasked",
    alone: (world) => runClaude(world, { steps: bash("true") }),
    startsInNew: true,
    attended: claudeInTerminal,
    asks: "New MCP server found in this project: greeter",
    yes: ["\u001b[A", "\u001b[A", "\r"],
  },
  {
    ...REAL.codex,
    said: ONCE_TRUSTED,
    alone: (world, isNew) => runCodex(world, { steps: shell("true"), isNew }),
    startsInNew: false,
    attended: (world, url) => codexInTerminal(world, { url, isNew: true }),
    asks: "Trust this folder?",
    yes: ["\r"],
  },
  {
    ...REAL["copilot-cli"],
    said: ONCE_TRUSTED,
    ...other("copilot"),
    startsInNew: false,
    asks: "Do you trust the files in this folder?",
    yes: ["\r"],
  },
  {
    ...REAL["gemini-cli"],
    said: ONCE_TRUSTED,
    ...other("gemini"),
    startsInNew: false,
    asks: "Don't trust",
    yes: ["\r"],
  },
];

inNewWorlds();

describe.each(sweep(AGENTS, 1).map((agent) => [agent.runtime, agent] as const))(
  "the MCP server of a card, in %s",
  (runtime, agent) => {
    beforeEach(async ({ skip }) => {
      skipIfMissing(agent, skip);
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
      skipWithoutTerminal(skip);
      await attend(
        agent.steps("true"),
        (url) => agent.attended(world, url),
        async (terminal) => {
          await terminal.shows(agent.asks);
          expect(wasStarted(world)).toBe(false);
          for (const key of agent.yes) {
            // Programs sometimes ignore a key that comes faster than a person types.
            await terminal.rests();
            terminal.press(key);
          }
          await expect.poll(() => wasStarted(world), { timeout: 30_000 }).toBe(true);
        },
      );
    });
  },
);
