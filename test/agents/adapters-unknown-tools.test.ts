import { expect, test } from "vitest";
import { findAdapter } from "../../src/agents/adapters.ts";
import { targetsOf } from "../../src/agents/targets.ts";
import { AGENT_IDS, type AgentId } from "../../src/policy/event.ts";
import { canaryCall } from "../../src/wiring/canary-call.ts";

/** The names under which policies for MCP servers are asked about a call. */
function serverNames(runtime: AgentId, tool: string, input: object): string[] {
  const [target] = targetsOf([runtime]);
  const adapter = findAdapter(runtime);
  if (target === undefined || adapter === undefined) throw new Error(`${runtime} is unknown`);
  const { event } = canaryCall(target.calls, { root: "/p", tool, input });
  const { aliases, otherNames } = adapter.decode({ ...event }, "pre-tool");
  return [...aliases, ...otherNames].filter((name) => name.startsWith("mcp__"));
}

test.each(AGENT_IDS)("in %s, a tool that nobody knows is one of a server if it may run its input", (runtime) => {
  for (const input of [
    { code: "1" },
    { keys: "ls" },
    { cliCommand: "ls" },
    { steps: [{ script: "ls" }] },
    { call: '{"argv":["ls"]}' },
    { statement: "SELECT 1" },
    { method: "GET", url: "https://a.io" },
  ])
    expect(serverNames(runtime, "runner", input)).toEqual(["mcp__unknown__runner"]);
  expect(serverNames(runtime, "runner", { question: "Which command?", description: "x" })).toEqual([]);
  expect(serverNames(runtime, "deletePath", { path: "a" })).toEqual(["mcp__unknown__deletePath"]);
  expect(serverNames(runtime, "sendMail", { attachments: ["a"] })).toEqual(["mcp__unknown__sendMail"]);
  expect(serverNames(runtime, "viewPath", { path: "a" })).toEqual([]);
  for (const tool of ["Bash", "Read"]) expect(serverNames(runtime, tool, { command: "ls" })).toEqual([]);
});
