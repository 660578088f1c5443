import { inject, type TestContext } from "vitest";
import type { AgentId } from "../../src/policy/event.ts";
import { bash, claudeInTerminal, runClaude } from "./claude.ts";
import { codexInTerminal, runCodex, shell } from "./codex.ts";
import { type MockModel, type ModelRun, type Subscript, startMockModel } from "./mock-model.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import type { ProcessRequest } from "./process.ts";
import { commandLineOf, commandsOf, runOther } from "./run-others.ts";
import { openTerminal, type Terminal, whyNoTerminal } from "./terminal.ts";
import type { Step } from "./wire-format.ts";
import type { World } from "./world.ts";

/** A real agent, for cases that are the same in several. Each may run commands without asking, as far as its own rules go. */
export interface RealAgent {
  runtime: AgentId;
  /** A client that may be missing here. */
  client?: OtherClient;
  /** Shell commands, each in a separate call, then the end of the turn. */
  steps: (...commands: string[]) => Step[];
  /** One whole unattended turn. */
  run: (world: World, script: { steps: readonly Step[]; subagent?: Subscript }) => Promise<ModelRun>;
  /** The command that starts it in a person's terminal, in a folder that the person trusts. */
  start: (world: World, url: string) => ProcessRequest;
}

function other(runtime: AgentId, client: OtherClient): RealAgent {
  return {
    runtime,
    client,
    steps: (...commands) => commandsOf(client, ...commands),
    run: (world, script) => runOther(client, world, script),
    start: (world, url) => commandLineOf(client, world, { url, how: "attended" }),
  };
}

type RealId = Exclude<AgentId, "arawn" | "astrid" | "cursor" | "mastra" | "polytoken" | "runner">;

export const REAL: Readonly<Record<RealId, RealAgent>> = {
  "claude-code": { runtime: "claude-code", steps: bash, run: runClaude, start: claudeInTerminal },
  codex: {
    runtime: "codex",
    steps: shell,
    run: runCodex,
    start: (world, url) => codexInTerminal(world, { url, isNew: false }),
  },
  "copilot-cli": other("copilot-cli", "copilot"),
  "gemini-cli": other("gemini-cli", "gemini"),
  kilo: other("kilo", "kilo"),
  opencode: other("opencode", "opencode"),
  pi: other("pi", "pi"),
  "qwen-code": other("qwen-code", "qwen"),
};

/** An agent that runs shell commands. */
export interface Shell<Run> extends Pick<RealAgent, "runtime" | "steps"> {
  run: (world: World, script: { steps: readonly Step[] }) => Promise<Run>;
}

/** One whole unattended turn with these shell commands, each in a separate call. */
export function runCommands<Run>({ run, steps }: Shell<Run>, world: World, ...commands: string[]): Promise<Run> {
  return run(world, { steps: steps(...commands) });
}

type Skip = TestContext["skip"];

export function skipIfMissing({ client }: Pick<RealAgent, "client">, skip: Skip): void {
  if (client !== undefined) skip(inject("others")[client] === undefined, missing(client));
}

export function skipWithoutTerminal(skip: Skip): void {
  const reason = whyNoTerminal();
  skip(reason !== undefined, reason);
}

/** Puts a person in front of the agent, whose model says this, until all is seen. */
export async function attend(
  steps: readonly Step[],
  start: (url: string) => ProcessRequest,
  watch: (terminal: Terminal, model: MockModel) => Promise<void>,
): Promise<void> {
  const model = await startMockModel(steps);
  const terminal = openTerminal(start(model.url));
  try {
    await watch(terminal, model);
  } finally {
    await terminal.leave();
    await model.close();
  }
}
