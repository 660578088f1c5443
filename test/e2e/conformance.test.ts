import { beforeEach, describe, expect, test } from "vitest";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import { codex } from "../../src/agents/codex/adapter.ts";
import { copilotCli } from "../../src/agents/copilot-cli/adapter.ts";
import { geminiCli } from "../../src/agents/gemini-cli/adapter.ts";
import { kilo } from "../../src/agents/kilo/adapter.ts";
import { opencode } from "../../src/agents/opencode/adapter.ts";
import { pi } from "../../src/agents/pi/adapter.ts";
import { qwenCode } from "../../src/agents/qwen-code/adapter.ts";
import type { Adapter } from "../../src/hook-base/adapter/adapter.ts";
import { type Behaviour, expectedOutcome, type Outcome } from "../support/conformance.ts";
import { sweep } from "../support/sweep.ts";
import { commandOf, fileOf, loseCode, policyOfAllRows, ROWS } from "./conformance-rows.ts";
import { addGuard, applyGuard, journal } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { DEATHS, deaths } from "./policies.ts";
import { REAL, type RealAgent, runCommands, skipIfMissing } from "./real-agents.ts";
import type { World } from "./world.ts";

interface Agent extends RealAgent {
  adapter: Adapter;
  /** If the name differs from the adapter's agent, and the flags for `write`. */
  title?: string;
  flags?: readonly string[];
}

/** In every sample: what a policy can say or do is tried with them here, and nowhere else. */
const ALWAYS: readonly Agent[] = [
  { adapter: claudeCode, ...REAL["claude-code"] },
  { adapter: codex, ...REAL.codex },
];

const OTHERS: readonly Agent[] = [
  { adapter: copilotCli, ...REAL["copilot-cli"] },
  {
    adapter: claudeCode,
    ...REAL["copilot-cli"],
    title: "Copilot CLI by the entry of Claude Code",
    flags: ["--project"],
  },
  { adapter: geminiCli, ...REAL["gemini-cli"] },
  { adapter: opencode, ...REAL.opencode },
  { adapter: kilo, ...REAL.kilo },
  { adapter: pi, ...REAL.pi },
  { adapter: qwenCode, ...REAL["qwen-code"] },
];

/** What happens to a call in an unattended run, and what the model is told about it. */
const SEEN: Readonly<Record<Outcome, (world: World) => { runs: boolean; told: string }>> = {
  runs: () => ({ runs: true, told: "" }),
  "runs with context": () => ({ runs: true, told: "" }),
  "runs rewritten": (world) => ({ runs: false, told: world.project }),
  blocked: () => ({ runs: false, told: "@me/guard#gate" }),
  "a person is asked": () => ({ runs: false, told: "sure?" }),
};

const EFFECTS: Readonly<Record<Outcome, string>> = {
  runs: "allow",
  "runs with context": "allow",
  "runs rewritten": "allow",
  blocked: "deny",
  "a person is asked": "ask",
};

const REASONS: Readonly<Partial<Record<Behaviour, string>>> = {
  deny: "not here",
  "deny, with a result": "nothing there",
  throws: "threw Error: broken",
  "times out": "did not finish within 2000 ms",
  "is malformed": "returned a decision",
};

inNewWorlds();

describe.each([...ALWAYS, ...sweep(OTHERS, 1)].map((agent) => [agent.title ?? agent.adapter.title, agent] as const))(
  "%s",
  (_, agent) => {
    const { adapter, client, flags = [] } = agent;
    beforeEach(({ skip }) => skipIfMissing(agent, skip));

    test.each(["enforcement", "observer"] as const)(
      "whatever an %s policy says or does, before a call and after it, comes to what the table says",
      async (kind) => {
        await addGuard(world, policyOfAllRows(kind));
        await applyGuard(world, [adapter.runtime], ...flags);
        const outcomeOf = (behaviour: Behaviour) => expectedOutcome({ adapter, behaviour, kind, phase: "pre-tool" });
        // Gemini CLI waits for an answer for ever, so this is a separate case.
        const rows = ROWS.filter((row) => client !== "gemini" || outcomeOf(row) !== "a person is asked");
        const before = rows.map((row) => commandOf("before", row));
        const after = ROWS.map((row) => commandOf("after", row));
        const { turns, results } = await runCommands(agent, world, ...before, ...after);
        const told = results.map(({ text }) => text);
        expect(told).toHaveLength(before.length + after.length);
        for (const [at, row] of rows.entries()) expectBefore(row, outcomeOf(row), told[at]);
        for (const [at, row] of ROWS.entries()) expectAfter(row, told[before.length + at]);
        const isContextTold = JSON.stringify(turns.at(-1)?.body).includes("mind the gap");
        expect(isContextTold).toBe(outcomeOf("allow, with context") === "runs with context");
        await expectNoted([...rows.map(outcomeOf), ...ROWS.map(() => "runs" as const)]);
        await expectLost(agent, outcomeOf("has lost its code"));
      },
      300_000,
    );

    test("an enforcement policy that ends in place of an answer blocks the call, and the next one is judged as ever", async () => {
      await addGuard(world, deaths());
      await applyGuard(world, [adapter.runtime], ...flags);
      await runCommands(agent, world, ...DEATHS.map((_, at) => `touch ${at}.txt`), "touch other.txt");
      expect([DEATHS.filter((_, at) => world.has(`${at}.txt`)), world.has("other.txt")]).toEqual([[], true]);
    });
  },
);

function expectBefore(row: Behaviour, outcome: Outcome, text: string | undefined): void {
  const { runs, told } = SEEN[outcome](world);
  const expected = outcome === "blocked" ? REASONS[row] : told;
  expect([row, world.has(fileOf("before", row)), text]).toEqual([row, runs, expect.stringContaining(expected ?? told)]);
}

/** The call was made, and the model was told about it what it is told about any other. */
function expectAfter(row: Behaviour, text: string | undefined): void {
  const untold = expect.not.stringMatching(/@me\/guard|not here|nothing there|broken/u);
  expect([row, world.has(fileOf("after", row)), text]).toEqual([row, true, untold]);
}

/** The journal has the agent's outcome, and which policies failed after a call. */
async function expectNoted(outcomes: readonly Outcome[]): Promise<void> {
  const noted = await journal(world);
  const effects = noted.filter(({ phase }) => phase === "pre-tool").map(({ effective }) => effective);
  expect(effects).toEqual(outcomes.map((outcome) => EFFECTS[outcome]));
  const after = noted.filter(({ phase }) => phase === "post-tool").flatMap(({ policies }) => policies);
  const failures = after.flatMap(({ failure }) => failure ?? []);
  expect(failures).toEqual(["threw Error: broken", "did not finish within 2000 ms"]);
}

async function expectLost(agent: Agent, outcome: Outcome): Promise<void> {
  const file = "lost.txt";
  loseCode(world);
  const { results } = await runCommands(agent, world, `touch ${file}`);
  expect(world.has(file)).toBe(outcome === "runs");
  if (outcome === "blocked") expect(results[0]?.text).toContain("its compiled file is missing");
}
