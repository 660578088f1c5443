import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { mastra } from "../../src/agents/mastra/adapter.ts";
import { expectedOutcome } from "../support/conformance.ts";
import { commandOf, fileOf, loseCode, policyOfAllRows, ROWS } from "./conformance-rows.ts";
import { addGuard, armGuard, drwn, here } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { runMastra, workspaceShell } from "./mastra.ts";
import { askAlways, denyTouch, REASON } from "./policies.ts";

inNewWorlds();

/** What the model was told, call by call. */
async function told(
  ...request: Parameters<typeof runMastra> extends [unknown, infer R] ? [R] : never
): Promise<string[]> {
  return (await runMastra(world, ...request)).results.map(({ text }) => text);
}

describe("the table of what becomes of a call", () => {
  test.each(["enforcement", "observer"] as const)("holds in the real Mastra for an %s policy", async (kind) => {
    await armGuard(world, policyOfAllRows(kind), "mastra");
    const before = ROWS.map((name) => commandOf("before", name));
    const after = ROWS.map((name) => commandOf("after", name));
    const results = await told({ steps: workspaceShell(...before, ...after) });
    expect(results).toHaveLength(before.length + after.length);
    for (const [at, behaviour] of ROWS.entries()) {
      const outcome = expectedOutcome({ adapter: mastra, behaviour, kind, phase: "pre-tool" });
      // Without `requireToolApproval` nobody is asked, and the consent lets the call run.
      const runs = outcome === "runs" || outcome === "a person is asked";
      expect([behaviour, world.has(fileOf("before", behaviour))]).toEqual([behaviour, runs]);
      if (behaviour === "deny, with a result") expect(results[at]).toBe("nothing there");
      else if (outcome === "blocked") expect(results[at]).toContain("[@me/guard#gate] ");
      else if (outcome === "runs rewritten") expect(results[at]).toContain(world.project);
      expect([behaviour, world.has(fileOf("after", behaviour))]).toEqual([behaviour, true]);
      expect(results[ROWS.length + at]).toBe(results[ROWS.length]);
    }
  });

  test("a policy that has lost its code blocks", async () => {
    await armGuard(world, denyTouch, "mastra");
    loseCode(world);
    expect(await told({ steps: workspaceShell("echo harmless") })).toEqual([
      expect.stringContaining("blocks the call"),
    ]);
  });
});

describe("a policy that asks", () => {
  const steps = workspaceShell("touch ran.txt");

  test("stops the run until a person has decided, and what they decide holds, whatever the consent says otherwise", async () => {
    await addGuard(world, askAlways);
    await here(world, "card", "trust", "@me/guard", "--hooks", "--ask-fallback", "deny", "--yes");
    await here(world, "write", "--runtime", "mastra");
    const declined = await runMastra(world, { steps, approval: "decline" });
    expect(declined.asked).toBe(true);
    expect(declined.results).toEqual([expect.objectContaining({ text: expect.stringContaining("not approved") })]);
    expect(world.has("ran.txt")).toBe(false);
    const nobody = await runMastra(world, { steps });
    expect(nobody.asked).toBe(false);
    expect(nobody.results).toEqual([expect.objectContaining({ text: expect.stringContaining(REASON) })]);
    expect(world.has("ran.txt")).toBe(false);
    expect(await runMastra(world, { steps, approval: "approve" })).toMatchObject({ asked: true });
    expect(world.has("ran.txt")).toBe(true);
  });

  test("to one agent is no approval for another that makes the same call and cannot ask", async () => {
    await addGuard(world, askAlways);
    await here(world, "card", "trust", "@me/guard", "--hooks", "--ask-fallback", "deny", "--yes");
    await here(world, "write", "--runtime", "mastra");
    const run = await runMastra(world, { steps: [...steps, ...steps], approval: "decline", thenClerk: true });
    expect(run.asked).toBe(true);
    expect(run.results).toEqual([expect.objectContaining({ text: expect.stringContaining(REASON) })]);
    expect(world.has("ran.txt")).toBe(false);
  });

  test("bothers nobody about a call that another one denies, or that nobody asks about", async () => {
    await armGuard(world, denyTouch, "mastra");
    const run = await runMastra(world, { steps: workspaceShell("touch ran.txt", "echo fine"), approval: "approve" });
    expect(run.asked).toBe(false);
    expect(run.results.map(({ text }) => text)).toEqual([expect.stringContaining(REASON), "fine\n"]);
  });
});

test("the package alone guards the project that the app runs in", async () => {
  await armGuard(world, denyTouch);
  const results = await told({ steps: workspaceShell("touch ran.txt", "echo fine"), guards: "package" });
  expect(results).toEqual([expect.stringContaining(REASON), "fine\n"]);
});

test("without guards the same call runs, and when the consent is withdrawn it does again", async () => {
  const steps = workspaceShell("touch ran.txt");
  await armGuard(world, denyTouch, "mastra");
  expect(await told({ steps })).toEqual([expect.stringContaining(REASON)]);
  await told({ steps, guards: "none" });
  expect(world.has("ran.txt")).toBe(true);
  fs.rmSync(world.at("ran.txt"));
  await drwn(world, "card", "untrust", "@me/guard", "--hooks");
  await told({ steps });
  expect(world.has("ran.txt")).toBe(true);
});

test("calls of one answer are judged each, and hooks of the app itself hear of those that ran", async () => {
  await armGuard(world, denyTouch, "mastra");
  const calls = ["echo one", "touch ran.txt", "echo two"].map((command) => ({
    tool: "mastra_workspace_execute_command",
    input: { command },
  }));
  const run = await runMastra(world, { steps: [{ tools: calls }, { text: "done" }], guards: "joined" });
  expect(run.results.map(({ text }) => text)).toEqual(["one\n", expect.stringContaining(REASON), "two\n"]);
  expect(run.told).toEqual(Array.from({ length: 2 }, () => "mastra_workspace_execute_command"));
});

test("a program of execute_typescript is held as a command, and the calls that it makes reach no hook", async () => {
  await armGuard(world, denyTouch, "mastra");
  const program = (command: string) => `return (await external_shell({ command: ${JSON.stringify(command)} })).trim();`;
  const steps = [
    { tool: "execute_typescript", input: { code: program("touch ran.txt") } },
    { tool: "execute_typescript", input: { code: program("pwd") } },
    { text: "done" },
  ];
  const run = await runMastra(world, { steps, guards: "joined" });
  expect(run.results.map(({ text }) => text)).toEqual([
    expect.stringContaining(REASON),
    expect.stringContaining(world.project),
  ]);
  expect([world.has("ran.txt"), run.told]).toEqual([false, ["execute_typescript"]]);
});

const aboutErrors = `import { defineToolPolicy } from "darwinian-minds/hook-policy";
export default defineToolPolicy({
  policyKind: "observer",
  matcher: "shell",
  afterToolCall({ error }) {
    if (error !== undefined) throw new Error("told of " + error.name);
  },
});
`;

test("a tool that fails is told of, and its failure reaches the model as it is", async () => {
  await armGuard(world, aboutErrors, "mastra");
  const steps = [{ tool: "shell", input: { command: "echo lost >&2; exit 3" } }, { text: "done" }];
  const guarded = await told({ steps });
  expect(guarded).toEqual(await told({ steps, guards: "none" }));
  const { stdout } = await drwn(world, "log", "--json");
  expect(stdout).toContain("told of Error");
});

const denyAgents = `import { defineToolPolicy } from "darwinian-minds/hook-policy";
export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Agent",
  beforeToolCall: ({ toolName }) => ({ action: "deny", reason: "no " + toolName }),
});
`;

test("a sub-agent can be kept from being called", async () => {
  await armGuard(world, denyAgents, "mastra");
  const steps = [{ tool: "agent-clerk", input: { prompt: "go" } }, { text: "done" }];
  expect(await told({ steps, throughSubAgent: true })).toEqual([expect.stringContaining("no agent-clerk")]);
});

const TYPED_APP = `import { Agent } from "@mastra/core/agent";
import { hooks, requireToolApproval, withHooks } from "./.agents/drwn/mastra.js";

const parts = { id: "a", name: "A", instructions: "x", model: "openai/gpt-5" } as const;
export const plain = new Agent({ ...parts, hooks, defaultOptions: { requireToolApproval } });
export const joined = new Agent({
  ...parts,
  hooks: withHooks({ beforeToolCall: ({ toolName }) => void toolName, afterToolCall: async () => {} }),
});
// @ts-expect-error An agent knows no such hooks.
export const wrong = new Agent({ ...parts, hooks: { beforeToolCall: 1 } });
`;

test("what the guide shows has types that fit Mastra's own, with the module that write makes", async () => {
  await armGuard(world, denyTouch, "mastra");
  await told({ steps: workspaceShell("echo hello") });
  const guide = fs.readFileSync(path.resolve(import.meta.dirname, "../../docs/guides/mastra.md"), "utf8");
  const blocks = [...guide.matchAll(/```ts example\n(.*?)```/gsu)].map(([, block = ""]) => block);
  expect(blocks.length).toBeGreaterThan(1);
  const files = [TYPED_APP, ...blocks].map((text, at) => world.write(`agent-${at}.ts`, text));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: "es2022",
    module: "nodenext",
    types: ["node"],
    typeRoots: [path.resolve(import.meta.dirname, "../../node_modules/@types")],
  };
  world.write("package.json", '{"type":"module"}');
  world.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
  const tsc = path.resolve(import.meta.dirname, "../../node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", "."], { cwd: world.project, encoding: "utf8" });
  expect(stdout).toBe("");
});
