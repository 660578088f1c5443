import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { addGuard, armGuard, here } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { askAlways, REASON } from "./policies.ts";
import { attend, REAL, type RealAgent, skipIfMissing, skipWithoutTerminal } from "./real-agents.ts";

interface Agent extends RealAgent {
  /** What is shown beside the answers, and the keys for them. */
  question: string;
  yes: string;
  no: string;
  /** What is shown when the call was given up. */
  givenUp: string;
}

const ESCAPE = "\u001b";

const AGENTS: readonly Agent[] = [
  {
    ...REAL["claude-code"],
    question: "Do you want to proceed?",
    yes: "1",
    no: ESCAPE,
    givenUp: "Interrupted",
  },
  {
    ...REAL["copilot-cli"],
    question: "Do you want to allow this tool call?",
    yes: "\r",
    no: ESCAPE,
    givenUp: "Denied by user",
  },
  {
    ...REAL["gemini-cli"],
    question: "Allow execution of [Shell]?",
    yes: "1",
    no: ESCAPE,
    givenUp: "Type your message",
  },
  {
    ...REAL.pi,
    question: "drwn: bash",
    yes: "\r",
    no: ESCAPE,
    givenUp: "A person said no",
  },
  {
    ...REAL["qwen-code"],
    question: "Do you want to proceed?",
    yes: "1",
    no: ESCAPE,
    givenUp: "Type your message",
  },
];

inNewWorlds();

describe.each(sweep(AGENTS, 1).map((agent) => [agent.runtime, agent] as const))(
  "a policy that asks, in %s",
  (runtime, agent) => {
    beforeEach(({ skip }) => {
      skipIfMissing(agent, skip);
      skipWithoutTerminal(skip);
    });

    test.each([
      ["yes", true],
      ["no", false],
    ] as const)("shows a person its reason; after %s the call is made: %s", async (answer, runs) => {
      await armGuard(world, askAlways, runtime);
      await attend(
        agent.steps("touch ran.txt"),
        (url) => agent.start(world, url),
        async (terminal, model) => {
          await terminal.shows(agent.question);
          await terminal.shows(REASON);
          expect(world.has("ran.txt")).toBe(false);
          terminal.press(agent[answer]);
          if (runs) await expect.poll(() => model.seen().results, { timeout: 30_000 }).toHaveLength(1);
          else await terminal.shows(agent.givenUp);
          expect(world.has("ran.txt")).toBe(runs);
        },
      );
    });
  },
);

/** The agents that cannot ask. */
const MUTE = [REAL.codex, REAL.opencode];

describe.each(sweep(MUTE, 1).map((agent) => [agent.runtime, agent] as const))(
  "an ask in the terminal of %s",
  (runtime, agent) => {
    test.for([
      [[], true],
      [["--ask-fallback", "deny"], false],
    ] as const)("asks nobody: by a consent with the terms %j the call is made: %s", async ([terms, runs], { skip }) => {
      skipIfMissing(agent, skip);
      skipWithoutTerminal(skip);
      fs.mkdirSync(path.join(world.home, ".codex"));
      await addGuard(world, askAlways);
      await here(world, "card", "trust", "@me/guard", "--hooks", "--yes", ...terms);
      await here(world, "write", "--runtime", runtime);
      await attend(
        agent.steps("touch ran.txt"),
        (url) => agent.start(world, url),
        async (_, model) => {
          await expect.poll(() => model.seen().results, { timeout: 90_000 }).toHaveLength(1);
          expect([world.has("ran.txt"), model.seen().results[0]?.text.includes(REASON)]).toEqual([runs, !runs]);
        },
      );
    });
  },
);
