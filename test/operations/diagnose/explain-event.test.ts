import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { targetsOf } from "../../../src/agents/targets.ts";
import { layout } from "../../../src/contract/layout.ts";
import type { HookFacts } from "../../../src/contract/ledger.ts";
import { type ExplainRequest, explainEvent } from "../../../src/operations/diagnose/explain-event.ts";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { initProject } from "../../../src/operations/project/init.ts";
import { writeProject } from "../../../src/operations/project/write.ts";
import type { AgentId } from "../../../src/policy/event.ts";
import { canaryCall } from "../../../src/wiring/canary-call.ts";
import type { TestHost } from "../../support/host.ts";
import { testHost } from "../../support/host.ts";
import { machineOf, openProjectKey, snapshot } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, GUARD, guardedProject, newProject, publish, trust, write } from "../../support/projects.ts";

type Stack = Record<string, { code: string; facts?: Partial<HookFacts> }>;

async function stackOf(stack: Stack): Promise<TestHost> {
  const host = newProject();
  await publish(host, {
    hooks: Object.fromEntries(Object.entries(stack).map(([name, { facts }]) => [name, facts ?? {}])),
    files: Object.fromEntries(
      Object.entries(stack).map(([name, { code }]) => [`hooks/${name}/policy.ts`, `export default ${code};\n`]),
    ),
  });
  await addCards(host, [CARD]);
  await trust(host);
  await write(host);
  return host;
}

const ASK: ExplainRequest = { runtime: "claude-code", phase: "pre-tool", tool: "Bash", input: `{"command":"ls"}` };

describe("drwn explain", () => {
  test("shows what each policy said, what came of it, and the agent's bytes, and leaves everything as it was", async () => {
    const host = await stackOf({
      a: {
        code: `{ beforeToolCall: () => ({ action: "allow", updatedInput: { command: "pwd" }, additionalContext: "mind" }) }`,
      },
      b: {
        code: `{ beforeToolCall: (event) => event.input.command === "pwd" ? { action: "deny", reason: "no" } : undefined }`,
      },
      c: { code: "{ beforeToolCall() {} }" },
      d: { code: "{ beforeToolCall() {} }", facts: { matcher: "Read" } },
      e: { code: "{ afterToolCall() {} }", facts: { kind: "observer", phases: ["post-tool"] } },
    });
    const before = snapshot(machineOf(host));
    const { call, passedOver, agent } = await explainEvent(host, ASK);
    expect(snapshot(machineOf(host))).toEqual(before);
    expect(call).toMatchObject({
      verdict: "deny",
      by: `${CARD}@1.0.0#b`,
      policies: [
        { policy: `${CARD}@1.0.0#a`, decision: "allow", answer: { context: "mind", updatedInput: { command: "pwd" } } },
        { policy: `${CARD}@1.0.0#b`, decision: "deny", answer: { reason: "no" } },
      ],
    });
    expect(passedOver.map(({ policy, why }) => [policy.slice(-1), why])).toEqual([
      ["c", "decided-before"],
      ["d", "matcher"],
      ["e", "phase"],
    ]);
    expect(agent).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"[${CARD}#b] no"},"systemMessage":"[drwn] ${CARD}#b denied this call. More: drwn why. Let it through: drwn allow"}\n`,
    });
  });

  test("shows that a call under other names is rewritten, and each policy asked about what it is then", async () => {
    const guard = `{ beforeToolCall: ({ toolName, input }) => input.v > 1 ? { action: "deny", reason: toolName } : undefined }`;
    const host = await stackOf({
      a: { code: guard, facts: { matcher: "mcp__my_db__*" } },
      b: {
        code: `{ beforeToolCall: ({ input }) => input.v < 9 ? { action: "allow", updatedInput: { v: input.v + 1 } } : undefined }`,
        facts: { matcher: "my_db_run" },
      },
    });
    const said = async (v: number) => {
      const ask = { runtime: "opencode", phase: "pre-tool", tool: "my_db_run", input: JSON.stringify({ v }) } as const;
      return (await explainEvent(host, ask)).agent.stdout;
    };
    expect(await said(1)).toContain("mcp__my_db__run");
    expect(await said(2)).toContain("mcp__my_db__run");
    expect(JSON.parse(await said(-8))).toEqual({ args: { v: -7 } });
  });

  test("asks a policy under each name that a tool may have and its matcher takes, an observer under the first", async () => {
    const code = `{ beforeToolCall: ({ toolName }) => ({ action: "allow", additionalContext: toolName }) }`;
    const watching = `{ beforeToolCall: ({ toolName }) => console.error(toolName) }`;
    const matchers = [null, "mcp__*", "mcp__my_db__*", "my_db_run", "mcp__db__*"];
    const guards = matchers.map((matcher, at) => [`p${at}`, { code, facts: { matcher } }]);
    const observer = { code: watching, facts: { matcher: "*", kind: "observer" as const } };
    const host = await stackOf({ ...Object.fromEntries(guards), p9: observer });
    const { call } = await explainEvent(host, { ...ASK, runtime: "opencode", tool: "my_db_run", input: "{}" });
    const names = ["mcp__my__db_run", "mcp__my_db__run", "my_db_run"];
    expect(call?.policies.map(({ policy, answer }) => [policy.slice(-2), answer?.context ?? null])).toEqual([
      ...names.map((name) => ["p0", name]),
      ...names.slice(0, 2).map((name) => ["p1", name]),
      ["p2", names[1]],
      ["p3", names[2]],
      ["p9", null],
    ]);
  });

  test("takes an event from a file, after a call too", async () => {
    const host = await stackOf({
      a: {
        code: `{ afterToolCall() { throw new Error("boom"); } }`,
        facts: { kind: "observer", phases: ["post-tool"] },
      },
    });
    const event = { hook_event_name: "PostToolUse", tool_name: "Edit", tool_input: {}, tool_response: {} };
    fs.writeFileSync(path.join(host.cwd, "event.json"), JSON.stringify(event));
    const explained = await explainEvent(host, { runtime: "claude-code", phase: "post-tool", eventFile: "event.json" });
    expect(explained.call).toMatchObject({ tool: "Edit", policies: [{ failure: "threw Error: boom" }] });
    expect(explained.agent.stdout).toBe("");
  });

  test("shows the block of an event that is broken, and that nobody was asked", async () => {
    const host = await guardedProject();
    fs.writeFileSync(path.join(host.cwd, "event.json"), "{");
    const { call, passedOver, agent } = await explainEvent(host, { ...ASK, tool: undefined, eventFile: "event.json" });
    expect(call).toMatchObject({ verdict: "deny", problem: expect.stringContaining("is not JSON"), policies: [] });
    expect(passedOver).toMatchObject([{ why: "not-read" }]);
    expect(agent.stdout).toContain("is not JSON");
    expect(fs.existsSync(layout.journal(host.drwnHome, openProjectKey(host)))).toBe(false);
  });

  test.each<[string, () => Promise<TestHost>, Partial<ExplainRequest>, string]>([
    ["a project without a plan", async () => initialised(), {}, "DRWN_PLAN_NOT_WRITTEN"],
    ["an input that is not JSON", guardedProject, { input: "{" }, "DRWN_EVENT_INVALID"],
    ["neither event nor tool", guardedProject, { tool: undefined }, "DRWN_EVENT_INVALID"],
    ["a file that is not there", guardedProject, { eventFile: "gone.json" }, "DRWN_EVENT_INVALID"],
    ["another launcher", withOtherLauncher, {}, "DRWN_PLAN_NOT_WRITTEN"],
  ])("refuses %s", async (_, make, changes, code) => {
    expect(await problemOf(async () => explainEvent(await make(), { ...ASK, ...changes }))).toMatchObject({ code });
  });
});

test("with another Node, and without the store, it explains what the agent gets all the same", async () => {
  const host = await guardedProject();
  fs.renameSync(layout.store(host.drwnHome), path.join(host.home, "store"));
  const node = path.join(host.home, "node");
  fs.symlinkSync(host.nodePath, node);
  expect((await explainEvent({ ...host, nodePath: node }, ASK)).call).toMatchObject({ verdict: expect.any(String) });
});

test("names no policy that isn't in force yet", async () => {
  const host = await guardedProject();
  await publish(host, { ...GUARD, version: "2.0.0" });
  await addCards(host, [CARD]);
  await trust(host);
  const { call, passedOver } = await explainEvent(host, { ...ASK, tool: "Read" });
  expect([...(call?.policies ?? []), ...passedOver].filter(({ policy }) => policy.includes("2.0.0"))).toEqual([]);
});

test("of a folder that was moved it says what every command says", async () => {
  const host = await guardedProject();
  const moved = path.join(machineOf(host), "moved");
  fs.renameSync(host.cwd, moved);
  const there = host.at(moved);
  const because = readStatus(there).guarding.agents[0]?.because;
  expect(await problemOf(() => explainEvent(there, ASK))).toMatchObject({ ...because, code: "DRWN_PLAN_NOT_WRITTEN" });
});

/** One that starts words, and one that starts a line; test/sweeps/explain.test.ts has them all. */
const IN_JSON: AgentId[] = ["claude-code", "gemini-cli"];

test("agents are given exactly the bytes that explain shows", async () => {
  const code = `{ beforeToolCall: ({ input }) => JSON.stringify(input).includes("rm") ? { action: "deny", reason: "no" } : { action: "allow", additionalContext: "mind" } }`;
  const host = await stackOf({ a: { code } });
  await writeProject(host, { wiring: undefined, runtimes: IN_JSON });
  const commands = commandsBelow(host.home);
  for (const target of targetsOf(IN_JSON)) {
    const command = commands.find((one) => one.includes(`/bin/hook' ${target.runtime} pre `)) ?? "";
    for (const text of ["rm x", "ls"]) {
      const { event, env } = canaryCall(target.calls, { root: host.cwd, tool: "Bash", input: { command: text } });
      const input = JSON.stringify(event);
      fs.writeFileSync(path.join(host.cwd, "event.json"), input);
      const { agent } = await explainEvent(host, { ...ASK, runtime: target.runtime, eventFile: "event.json" });
      const options = { cwd: host.cwd, env: { ...host.env, ...env }, input, encoding: "utf8" } as const;
      const { status, stdout, stderr } = spawnSync(
        ...(command === "" ? claudesStart(host) : startOf(command)),
        options,
      );
      expect([target.runtime, text, agent]).toEqual([target.runtime, text, { exitCode: status, stdout, stderr }]);
      if (text === "rm x") expect(stdout).toContain("no");
    }
  }
});

const startOf = (command: string): [string, string[]] => ["/bin/sh", ["-c", command]];

/** Claude Code starts a program with words. */
function claudesStart({ home }: TestHost): [string, string[]] {
  const { hooks } = JSON.parse(fs.readFileSync(path.join(home, ".claude/settings.json"), "utf8"));
  const { command, args } = hooks.PreToolUse[0].hooks[0];
  return [command, args];
}

/** The lines of drwn, wherever they stand in files of JSON. */
function commandsBelow(folder: string): string[] {
  const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  const found: string[] = [];
  for (const file of files) {
    JSON.parse(fs.readFileSync(path.join(folder, file), "utf8"), (_, value: unknown) => {
      if (typeof value === "string" && value.includes("/bin/hook")) found.push(value);
      return value;
    });
  }
  return found;
}

function initialised(): TestHost {
  const host = testHost();
  initProject(host);
  return host;
}

async function withOtherLauncher(): Promise<TestHost> {
  const host = await guardedProject();
  fs.appendFileSync(layout.launcher(host.drwnHome), "# another version\n");
  return host;
}
