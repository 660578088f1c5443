import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
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
import { bash, runClaude } from "./claude.ts";
import { runCodex, shell } from "./codex.ts";
import { commandOf, fileOf, loseCode, policyOfAllRows, ROWS } from "./conformance-rows.ts";
import { addGuard, applyGuard, journal } from "./drwn.ts";
import type { Turn } from "./mock-model.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { commandsOf, runOther } from "./run-others.ts";
import { World } from "./world.ts";

interface Agent {
  adapter: Adapter;
  client?: OtherClient;
  /** If the name differs from the adapter's agent, and the flags for `write`. */
  title?: string;
  flags?: readonly string[];
  run(world: World, ...commands: string[]): Promise<{ turns: Turn[]; results: Turn["results"] }>;
}

function other(adapter: Adapter, client: OtherClient): Agent {
  const run: Agent["run"] = (world, ...commands) => runOther(client, world, { steps: commandsOf(client, ...commands) });
  return { adapter, client, run };
}

/** In every sample: what a policy can say or do is tried with them here, and nowhere else. */
const ALWAYS: readonly Agent[] = [
  { adapter: claudeCode, run: (world, ...commands) => runClaude(world, { steps: bash(...commands) }) },
  { adapter: codex, run: (world, ...commands) => runCodex(world, { steps: shell(...commands) }) },
];

const OTHERS: readonly Agent[] = [
  other(copilotCli, "copilot"),
  { ...other(claudeCode, "copilot"), title: "Copilot CLI by the entry of Claude Code", flags: ["--project"] },
  other(geminiCli, "gemini"),
  other(opencode, "opencode"),
  other(kilo, "kilo"),
  other(pi, "pi"),
  other(qwenCode, "qwen"),
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

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

describe.each([...ALWAYS, ...sweep(OTHERS, 1)].map((agent) => [agent.title ?? agent.adapter.title, agent] as const))(
  "%s",
  (_, agent) => {
    const { adapter, client, run, flags = [] } = agent;
    beforeEach((context) => {
      if (client !== undefined) context.skip(inject("others")[client] === undefined, missing(client));
    });

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
        const { turns, results } = await run(world, ...before, ...after);
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

async function expectLost({ run }: Agent, outcome: Outcome): Promise<void> {
  const file = "lost.txt";
  loseCode(world);
  const { results } = await run(world, `touch ${file}`);
  expect(world.has(file)).toBe(outcome === "runs");
  if (outcome === "blocked") expect(results[0]?.text).toContain("its compiled file is missing");
}
