import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { AgentId } from "../../src/policy/event.ts";
import { sweep } from "../support/sweep.ts";
import { addGuard, applyGuard, armGuard, GUARD_SKILL, here, journal } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { addServer, addServerHere } from "./greeter.ts";
import { hookAt } from "./policies.ts";
import { attend, REAL, runCommands, skipIfMissing, skipWithoutTerminal } from "./real-agents.ts";

inNewWorlds();

const { kilo: _, ...TELLING } = REAL;
const AGENTS = Object.values(TELLING);
/** The agents that don't heed, or aren't told of, an event when they run alone. */
const DEAF: Readonly<Record<"session.start" | "session.end" | "turn.stop", readonly AgentId[]>> = {
  "session.start": ["opencode"],
  "session.end": ["opencode", "qwen-code"],
  "turn.stop": ["opencode"],
};

describe.for(sweep(AGENTS, 2))("lifecycle hooks in the real $runtime", (agent) => {
  const { runtime } = agent;
  const run = () => runCommands(agent, world, "echo finished");

  beforeEach(({ skip }) => skipIfMissing(agent, skip));

  test("a prompt that is rejected reaches no model, nor one whose hook does not start", async () => {
    await armGuard(world, hookAt("prompt.submit", `return { action: "reject", reason: "NOT-THIS-PROMPT" };`), runtime);
    expect((await run()).turns).toEqual([]);
    world.breakHook();
    expect((await run()).turns).toEqual([]);
  });

  test("a prompt that is let through brings the hook's text to the model", async () => {
    const body = `if (event.input.prompt !== "go") return undefined;
      return { action: "proceed", additionalContext: "TEXT-BESIDE-THE-PROMPT" };`;
    await armGuard(world, hookAt("prompt.submit", body), runtime);
    expect(JSON.stringify((await run()).turns[0]?.body)).toContain("TEXT-BESIDE-THE-PROMPT");
  });

  test("text goes to the model behind the result of a call", async () => {
    const body = `return { action: "proceed", additionalContext: "TEXT-AFTER-" + event.subject };`;
    await armGuard(world, hookAt("tool.after", body), runtime);
    expect(JSON.stringify((await run()).turns.at(-1)?.body)).toContain("TEXT-AFTER-Bash");
  });

  test("the start of a session brings the hook's text to the model", async ({ skip }) => {
    skip(DEAF["session.start"].includes(runtime));
    const body = `return { action: "proceed", additionalContext: "TEXT-OF-THE-START-" + event.subject };`;
    await armGuard(world, hookAt("session.start", body), runtime);
    expect(JSON.stringify((await run()).turns[0]?.body)).toContain(
      `TEXT-OF-THE-START-${runtime === "copilot-cli" ? "new" : "startup"}`,
    );
  });

  test("the end of a session is told of", async ({ skip }) => {
    skip(DEAF["session.end"].includes(runtime));
    await armGuard(world, hookAt("session.end", ""), runtime);
    await run();
    expect((await journal(world)).map(({ phase }) => phase)).toContain("session.end");
  });

  test("a turn that is kept going goes on with the reason, and ends", async ({ skip }) => {
    skip(DEAF["turn.stop"].includes(runtime));
    await armGuard(world, hookAt("turn.stop", `return { action: "keep-going", reason: "ONE-MORE-THING" };`), runtime);
    const { turns } = await run();
    expect(turns.filter(({ body }) => JSON.stringify(body).includes("ONE-MORE-THING"))).toHaveLength(
      // Qwen Code counts for itself.
      runtime === "qwen-code" ? 7 : 8,
    );
  });

  test("the skill of a card is told of to the model", async () => {
    await armGuard(world, hookAt("session.end", ""), runtime);
    expect(JSON.stringify((await run()).turns[0]?.body)).toContain(GUARD_SKILL);
  });
});

test.for([REAL["claude-code"], REAL.codex])(
  "in the real $runtime a person is shown the text of the end of a turn, and the model is asked no more",
  async ({ runtime, steps, start }, { skip }) => {
    skipWithoutTerminal(skip);
    await armGuard(
      world,
      hookAt("turn.stop", `return { action: "proceed", additionalContext: "TESTS-RAN" };`),
      runtime,
    );
    await attend(
      steps("echo finished"),
      (url) => start(world, url),
      async (terminal, model) => {
        await terminal.shows("[@me/guard#gate] TESTS-RAN");
        await terminal.rests();
        const { turns } = model.seen();
        expect([turns.length, JSON.stringify(turns).includes("TESTS-RAN")]).toEqual([2, false]);
      },
    );
  },
);

/** What each calls the tool of the server; Pi gets no servers: `pi.test.ts` has one of the project. */
const SAY_HELLO = [
  [REAL["gemini-cli"], "mcp_greeter_say_hello"],
  [REAL["copilot-cli"], "greeter-say_hello"],
  [REAL.opencode, "greeter_say_hello"],
  [REAL["qwen-code"], "mcp__greeter__say_hello"],
] as const;

describe.for(sweep(SAY_HELLO, 1).map(([agent, tool]) => ({ ...agent, agent, tool })))(
  "an MCP server in the real $runtime",
  ({ agent, runtime, tool }) => {
    const run = () => runCommands(agent, world, "echo finished");

    beforeEach(({ skip }) => skipIfMissing(agent, skip));

    test("the MCP server of a card is offered to the model", async ({ skip }) => {
      skip(runtime === "qwen-code", "it offers tools of servers by tool_search: the next case calls one");
      await addServer(world);
      await here(world, "write", "--runtime", runtime);
      if (runtime === "opencode") {
        expect((await run()).turns.flatMap((turn) => turn.tools).join()).not.toContain("greeter");
        turnOn("greeter");
      }
      const tools = (await run()).turns.flatMap((turn) => turn.tools);
      expect(tools.filter((tool) => tool.includes("greeter") && tool.includes("say_hello"))).not.toEqual([]);
    });

    test("a policy hears of a call of an MCP server once, by its canonical name, and holds it", async () => {
      const deny = `({ toolName }) => ({ action: "deny", reason: "HEARD " + toolName })`;
      await addGuard(world, `export default { policyKind: "enforcement", matcher: "*", beforeToolCall: ${deny} };\n`);
      await addServerHere(world);
      await applyGuard(world, [runtime]);
      if (runtime === "opencode") turnOn("greeter");
      const envelope = { tool: "tool_call", input: { name: tool, arguments: {} } };
      const steps = [runtime === "qwen-code" ? envelope : { tool, input: {} }, { text: "done" }];
      const { results } = await agent.run(world, { steps });
      expect(results[0]?.text).toContain("HEARD mcp__greeter__say_hello");
      const calls = (await journal(world)).filter(({ phase }) => phase === "pre-tool");
      expect(calls.map(({ policies }) => policies.length)).toEqual([1]);
    });
  },
);

/** Turns the server on as a person does: OpenCode would ask nobody. */
function turnOn(server: string): void {
  const file = path.join(world.project, "opencode.json");
  const config = JSON.parse(fs.readFileSync(file, "utf8"));
  expect(config.mcp[server].enabled).toBe(false);
  config.mcp[server].enabled = true;
  fs.writeFileSync(file, JSON.stringify(config));
}
