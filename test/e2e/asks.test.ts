import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import type { AgentId } from "../../src/policy/event.ts";
import { sweep } from "../support/sweep.ts";
import { bash, claudeInTerminal } from "./claude.ts";
import { codexInTerminal, shell } from "./codex.ts";
import { addGuard, armGuard, here } from "./drwn.ts";
import { startMockModel } from "./mock-model.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { askAlways, REASON } from "./policies.ts";
import type { ProcessRequest } from "./process.ts";
import { commandLineOf, commandsOf } from "./run-others.ts";
import { openTerminal, whyNoTerminal } from "./terminal.ts";
import type { Step } from "./wire-format.ts";
import { World } from "./world.ts";

interface Agent {
  runtime: AgentId;
  client?: OtherClient;
  start: (world: World, url: string) => ProcessRequest;
  steps: (command: string) => Step[];
  /** What is shown beside the answers, and the keys for them. */
  question: string;
  yes: string;
  no: string;
  /** What is shown when the call was given up. */
  givenUp: string;
}

function other(runtime: AgentId, client: OtherClient): Pick<Agent, "runtime" | "client" | "start" | "steps"> {
  const start: Agent["start"] = (world, url) => commandLineOf(client, world, { url, how: "attended" });
  return { runtime, client, start, steps: (command) => commandsOf(client, command) };
}

const ESCAPE = "\u001b";

/** Each may run the command without asking, as far as its own rules go. */
const AGENTS: readonly Agent[] = [
  {
    runtime: "claude-code",
    start: claudeInTerminal,
    steps: bash,
    question: "Do you want to proceed?",
    yes: "1",
    no: ESCAPE,
    givenUp: "Interrupted",
  },
  {
    ...other("copilot-cli", "copilot"),
    question: "Do you want to allow this tool call?",
    yes: "\r",
    no: ESCAPE,
    givenUp: "Denied by user",
  },
  {
    ...other("gemini-cli", "gemini"),
    question: "Allow execution of [Shell]?",
    yes: "1",
    no: ESCAPE,
    givenUp: "Type your message",
  },
  {
    ...other("pi", "pi"),
    question: "drwn: bash",
    yes: "\r",
    no: ESCAPE,
    givenUp: "A person said no",
  },
  {
    ...other("qwen-code", "qwen"),
    question: "Do you want to proceed?",
    yes: "1",
    no: ESCAPE,
    givenUp: "Type your message",
  },
];

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

describe.each(sweep(AGENTS, 1).map((agent) => [agent.runtime, agent] as const))(
  "a policy that asks, in %s",
  (runtime, agent) => {
    beforeEach(({ skip }) => {
      const { client } = agent;
      if (client !== undefined) skip(inject("others")[client] === undefined, missing(client));
      const reason = whyNoTerminal();
      skip(reason !== undefined, reason);
    });

    test.each([
      ["yes", true],
      ["no", false],
    ] as const)("shows a person its reason; after %s the call is made: %s", async (answer, runs) => {
      await armGuard(world, askAlways, runtime);
      const model = await startMockModel(agent.steps("touch ran.txt"));
      const terminal = openTerminal(agent.start(world, model.url));
      try {
        await terminal.shows(agent.question);
        await terminal.shows(REASON);
        expect(world.has("ran.txt")).toBe(false);
        terminal.press(agent[answer]);
        if (runs) await expect.poll(() => model.seen().results, { timeout: 30_000 }).toHaveLength(1);
        else await terminal.shows(agent.givenUp);
        expect(world.has("ran.txt")).toBe(runs);
      } finally {
        await terminal.leave();
        await model.close();
      }
    });
  },
);

/** The agents that cannot ask. */
const MUTE: readonly Pick<Agent, "runtime" | "client" | "start" | "steps">[] = [
  {
    runtime: "codex",
    start: (world, url) => codexInTerminal(world, { url, isNew: false }),
    steps: shell,
  },
  other("opencode", "opencode"),
];

describe.each(sweep(MUTE, 1).map((agent) => [agent.runtime, agent] as const))(
  "an ask in the terminal of %s",
  (runtime, agent) => {
    test.for([
      [[], true],
      [["--ask-fallback", "deny"], false],
    ] as const)("asks nobody: by a consent with the terms %j the call is made: %s", async ([terms, runs], { skip }) => {
      const { client } = agent;
      if (client !== undefined) skip(inject("others")[client] === undefined, missing(client));
      const reason = whyNoTerminal();
      skip(reason !== undefined, reason);
      fs.mkdirSync(path.join(world.home, ".codex"));
      await addGuard(world, askAlways);
      await here(world, "card", "trust", "@me/guard", "--hooks", "--yes", ...terms);
      await here(world, "write", "--runtime", runtime);
      const model = await startMockModel(agent.steps("touch ran.txt"));
      const terminal = openTerminal(agent.start(world, model.url));
      try {
        await expect.poll(() => model.seen().results, { timeout: 90_000 }).toHaveLength(1);
        expect([world.has("ran.txt"), model.seen().results[0]?.text.includes(REASON)]).toEqual([runs, !runs]);
      } finally {
        await terminal.leave();
        await model.close();
      }
    });
  },
);
