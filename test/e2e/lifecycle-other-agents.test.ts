import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { addGuard, applyGuard, armGuard, GUARD_SKILL, here, journal } from "./drwn.ts";
import { addServer, addServerHere } from "./greeter.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { hookAt } from "./policies.ts";
import { commandsOf, runOther } from "./run-others.ts";
import { World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

const AGENTS: ["gemini-cli" | "copilot-cli" | "opencode" | "pi" | "qwen-code", OtherClient][] = [
  ["gemini-cli", "gemini"],
  ["copilot-cli", "copilot"],
  ["opencode", "opencode"],
  ["pi", "pi"],
  ["qwen-code", "qwen"],
];

/** The agents that heed what a hook says at these events, and don't only report them. */
const HEEDFUL = AGENTS.filter(([agent]) => agent !== "opencode");

const run = (client: OtherClient) => runOther(client, world, { steps: commandsOf(client, "echo finished") });

describe.each(sweep(AGENTS, 1))("lifecycle hooks in the real %s", (agent, client) => {
  beforeEach((context) => {
    context.skip(inject("others")[client] === undefined, missing(client));
  });

  test("a prompt that is rejected reaches no model, nor one whose hook does not start", async () => {
    await armGuard(world, hookAt("prompt.submit", `return { action: "reject", reason: "NOT-THIS-PROMPT" };`), agent);
    expect((await run(client)).turns).toEqual([]);
    world.breakHook();
    expect((await run(client)).turns).toEqual([]);
  });

  test("a prompt that is let through brings the hook's text to the model", async () => {
    const body = `if (event.input.prompt !== "go") return undefined;
      return { action: "proceed", additionalContext: "TEXT-BESIDE-THE-PROMPT" };`;
    await armGuard(world, hookAt("prompt.submit", body), agent);
    expect(JSON.stringify((await run(client)).turns[0]?.body)).toContain("TEXT-BESIDE-THE-PROMPT");
  });

  test("text goes to the model behind the result of a call", async () => {
    const body = `return { action: "proceed", additionalContext: "TEXT-AFTER-" + event.subject };`;
    await armGuard(world, hookAt("tool.after", body), agent);
    expect(JSON.stringify((await run(client)).turns.at(-1)?.body)).toContain("TEXT-AFTER-Bash");
  });

  test("the skill of a card is told of to the model", async () => {
    await armGuard(world, hookAt("session.end", ""), agent);
    expect(JSON.stringify((await run(client)).turns[0]?.body)).toContain(GUARD_SKILL);
  });

  test("the MCP server of a card is offered to the model", async ({ skip }) => {
    skip(agent === "pi", "drwn gives it no servers");
    skip(agent === "qwen-code", "it offers tools of servers by tool_search: the next case calls one");
    await addServer(world);
    await here(world, "write", "--runtime", agent);
    if (agent === "opencode") {
      expect((await run(client)).turns.flatMap((turn) => turn.tools).join()).not.toContain("greeter");
      turnOn("greeter");
    }
    const tools = (await run(client)).turns.flatMap((turn) => turn.tools);
    expect(tools.filter((tool) => tool.includes("greeter") && tool.includes("say_hello"))).not.toEqual([]);
  });

  test("a policy hears of a call of an MCP server once, by its canonical name, and holds it", async ({ skip }) => {
    skip(agent === "pi", "drwn gives it no servers: pi.test.ts has one of the project");
    const deny = `({ toolName }) => ({ action: "deny", reason: "HEARD " + toolName })`;
    await addGuard(world, `export default { policyKind: "enforcement", matcher: "*", beforeToolCall: ${deny} };\n`);
    await addServerHere(world);
    await applyGuard(world, [agent]);
    if (agent === "opencode") turnOn("greeter");
    const tool = {
      "gemini-cli": "mcp_greeter_say_hello",
      "copilot-cli": "greeter-say_hello",
      opencode: "greeter_say_hello",
      pi: "",
      "qwen-code": "mcp__greeter__say_hello",
    }[agent];
    const envelope = { tool: "tool_call", input: { name: tool, arguments: {} } };
    const steps = [agent === "qwen-code" ? envelope : { tool, input: {} }, { text: "done" }];
    const { results } = await runOther(client, world, { steps });
    expect(results[0]?.text).toContain("HEARD mcp__greeter__say_hello");
    const calls = (await journal(world)).filter(({ phase }) => phase === "pre-tool");
    expect(calls.map(({ policies }) => policies.length)).toEqual([1]);
  });
});

describe.each(sweep(HEEDFUL, 1))("lifecycle events that the real %s heeds", (agent, client) => {
  beforeEach((context) => {
    context.skip(inject("others")[client] === undefined, missing(client));
  });

  test("the start of a session brings the hook's text to the model", async () => {
    const body = `return { action: "proceed", additionalContext: "TEXT-OF-THE-START" };`;
    await armGuard(world, hookAt("session.start", body), agent);
    expect(JSON.stringify((await run(client)).turns[0]?.body)).toContain("TEXT-OF-THE-START");
  });

  test("the end of a session is told of", async ({ skip }) => {
    skip(agent === "qwen-code", "`qwen -p` doesn't tell of it");
    await armGuard(world, hookAt("session.end", ""), agent);
    await run(client);
    expect((await journal(world)).map(({ phase }) => phase)).toContain("session.end");
  });

  test("a turn that is kept going goes on with the reason, and ends", async () => {
    await armGuard(world, hookAt("turn.stop", `return { action: "keep-going", reason: "ONE-MORE-THING" };`), agent);
    const { turns } = await run(client);
    expect(turns.filter(({ body }) => JSON.stringify(body).includes("ONE-MORE-THING"))).toHaveLength(
      // Qwen Code counts for itself.
      agent === "qwen-code" ? 7 : 8,
    );
  });
});

/** Turns the server on as a person does: OpenCode would ask nobody. */
function turnOn(server: string): void {
  const file = path.join(world.project, "opencode.json");
  const config = JSON.parse(fs.readFileSync(file, "utf8"));
  expect(config.mcp[server].enabled).toBe(false);
  config.mcp[server].enabled = true;
  fs.writeFileSync(file, JSON.stringify(config));
}
