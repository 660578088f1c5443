import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import type { Adapter } from "../../src/agents/adapter.ts";
import { copilotCli } from "../../src/agents/copilot-cli/adapter.ts";
import { geminiCli } from "../../src/agents/gemini-cli/adapter.ts";
import { opencode } from "../../src/agents/opencode/adapter.ts";
import { expectedOutcome } from "../support/conformance.ts";
import { policyThat, ROWS } from "./conformance-rows.ts";
import { addGuard, drwn } from "./drwn.ts";
import { OTHER_CLIENTS, type OtherClient } from "./other-clients.ts";
import { denyFile, denyTouch, failingEnforcement, failingObserver, failures, REASON, rewriteTo } from "./policies.ts";
import { commandsOf, runOther } from "./run-others.ts";
import type { ToolCall } from "./wire-format.ts";
import { World } from "./world.ts";

interface Agent {
  client: OtherClient;
  adapter: Adapter;
  /** A call that writes this file with its own tool. */
  writes: (file: string) => ToolCall;
}

const AGENTS: readonly Agent[] = [
  {
    client: "gemini",
    adapter: geminiCli,
    writes: (file) => ({ tool: "write_file", input: { file_path: file, content: "x" } }),
  },
  {
    client: "copilot",
    adapter: copilotCli,
    writes: (file) => ({ tool: "create", input: { path: file, file_text: "x" } }),
  },
  {
    client: "opencode",
    adapter: opencode,
    writes: (file) => ({ tool: "write", input: { filePath: file, content: "x" } }),
  },
];

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

async function arm({ adapter }: Agent, policy: string, ...consent: string[]): Promise<void> {
  await addGuard(world, policy);
  await drwn(world, "card", "trust", "@me/guard", "--hooks", "--yes", ...consent);
  await drwn(world, "write", "--runtime", adapter.runtime);
}

describe.each(AGENTS.map((agent) => [agent.adapter.title, agent] as const))("%s", (_, agent) => {
  const { client } = agent;
  const { name, version } = OTHER_CLIENTS[client];
  const reason = `${name} ${version} is not installed; DRWN_E2E_ALL=1 installs it`;
  const run = (...commands: string[]) => runOther(client, world, commandsOf(client, ...commands));

  beforeEach((context) => {
    context.skip(inject("others")[client] === undefined, reason);
  });

  test("a denied call does not run and the model gets the reason", async () => {
    await arm(agent, denyTouch);
    const { results } = await run("touch ran.txt");
    expect(world.has("ran.txt")).toBe(false);
    expect(results).toMatchObject([{ text: expect.stringContaining(REASON) }]);
  });

  test("an allowed call runs", async () => {
    await arm(agent, denyTouch);
    await run("echo one > ran.txt");
    expect(world.read("ran.txt")).toBe("one\n");
  });

  test("a rewritten input is what runs", async () => {
    await arm(agent, rewriteTo({ command: "echo rewritten > ran.txt", description: "rewritten" }));
    await run("echo original > ran.txt");
    expect(world.read("ran.txt")).toBe("rewritten\n");
  });

  test("a file that is written is one of Write, with its path", async () => {
    await arm(agent, denyFile("secret.txt"));
    const steps = [agent.writes(world.at("secret.txt")), agent.writes(world.at("open.txt")), { text: "done" }];
    const { results } = await runOther(client, world, steps);
    expect([world.has("secret.txt"), world.has("open.txt")]).toEqual([false, true]);
    expect(results[0]?.text).toContain(REASON);
  });

  test("the failure of an observer changes nothing", async () => {
    await arm(agent, failingObserver);
    await run("touch ran.txt");
    expect(world.has("ran.txt")).toBe(true);
  });

  test.each(Object.entries(failures))("an enforcement policy that %s blocks the call", async (_, body) => {
    await arm(agent, failingEnforcement(body));
    await run("touch ran.txt");
    expect(world.has("ran.txt")).toBe(false);
  });

  test.each(ROWS)(
    "of an %s policy that says or does: %s, the call comes to what the table says",
    async (kind, behaviour) => {
      await arm(agent, policyThat(kind, behaviour));
      await run("touch ran.txt");
      const outcome = expectedOutcome({ adapter: agent.adapter, behaviour, kind, phase: "pre-tool" });
      expect(world.has("ran.txt")).toBe(outcome === "runs");
    },
  );

  test("without drwn's hook process the call is blocked", async () => {
    await arm(agent, denyTouch);
    world.breakHook();
    await run("echo one > ran.txt");
    expect(world.has("ran.txt")).toBe(false);
  });
});
