import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { CLAUDE_FORMAT } from "../../src/agents/claude-code/read-settings.ts";
import { targetsOf } from "../../src/agents/targets.ts";
import type { AgentId } from "../../src/policy/event.ts";
import { runClaude } from "./claude.ts";
import { runCodex } from "./codex.ts";
import type { Turn } from "./mock-model.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { runOther } from "./run-others.ts";
import { World } from "./world.ts";

/**
 * `npm run agents`: what each program offers its model, and which events it has, against what drwn knows, with what each tool does. A tool that
 * nobody has judged may run a command that no guard sees.
 */

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

const DONE = [{ text: "done" }];

/** The names of the tools in a request, in any of the four wire formats. */
function offered(turns: readonly Turn[]): string[] {
  const names = turns.flatMap(({ body }) => toolsIn(body).flatMap(namesOf));
  return [...new Set(names)].sort();
}

interface Offer {
  name?: string;
  type?: string;
  function?: { name: string };
  functionDeclarations?: { name: string }[];
  tools?: Offer[];
}

function toolsIn(body: unknown): Offer[] {
  const { tools = [] } = body as { tools?: Offer[] };
  return tools;
}

function namesOf({ name, type = "", function: own, functionDeclarations, tools }: Offer): string[] {
  if (functionDeclarations !== undefined) return functionDeclarations.map((one) => one.name);
  if (tools !== undefined) return tools.flatMap(namesOf);
  return [own?.name ?? name ?? type];
}

function unjudged(runtime: AgentId, tools: readonly string[]): string[] {
  const [{ tools: known = {} } = {}] = targetsOf([runtime]);
  const judged = tools.map((tool) => `  ${tool}: ${known[tool] ?? "nobody has judged it"}`);
  console.log([`${runtime}:`, ...judged].join("\n"));
  return tools.filter((tool) => known[tool] === undefined && !tool.startsWith("mcp__"));
}

test("drwn knows every tool of Claude Code", async () => {
  const { turns } = await runClaude(world, { steps: DONE });
  const tools = offered(turns);
  expect(tools).toContain("Bash");
  expect(unjudged("claude-code", tools)).toEqual([]);
});

test("drwn knows every event of Claude Code", () => {
  const empty = path.join(world.folder, "empty");
  fs.mkdirSync(empty);
  const request = { type: "control_request", request_id: "1", request: { subtype: "get_hooks_listing" } };
  const { stdout } = spawnSync(
    inject("claude"),
    ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--strict-mcp-config"],
    { cwd: empty, env: world.env, input: `${JSON.stringify(request)}\n`, encoding: "utf8" },
  );
  const events = stdout.split("\n").flatMap((line) => {
    if (!line.includes("eventCatalog")) return [];
    const answer: { response: { response: { eventCatalog: { name: string }[] } } } = JSON.parse(line);
    return answer.response.response.eventCatalog.map(({ name }) => name);
  });
  console.log(`claude-code events: ${events.join(" ")}`);
  expect(events).toContain("PreToolUse");
  expect(events.filter((event) => !CLAUDE_FORMAT.events.has(event))).toEqual([]);
});

test.each(["mock-model", "gpt-5.5"])("drwn knows every tool that Codex offers %s", async (model) => {
  const { turns } = await runCodex(world, { steps: DONE, model });
  const tools = offered(turns);
  expect(tools).toContain("exec_command");
  expect(unjudged("codex", tools)).toEqual([]);
});

const OTHERS: readonly [OtherClient, AgentId, string][] = [
  ["gemini", "gemini-cli", "run_shell_command"],
  ["copilot", "copilot-cli", "bash"],
  ["opencode", "opencode", "bash"],
  ["kilo", "kilo", "bash"],
  ["pi", "pi", "bash"],
  ["qwen", "qwen-code", "run_shell_command"],
];

describe.each(OTHERS)("%s", (client, runtime, shell) => {
  test.skipIf(inject("others")[client] === undefined)(
    `has no tool that drwn doesn't know (${missing(client)})`,
    async () => {
      const { turns } = await runOther(client, world, { steps: DONE });
      const tools = offered(turns);
      expect(tools).toContain(shell);
      expect(unjudged(runtime, tools)).toEqual([]);
    },
  );
});
