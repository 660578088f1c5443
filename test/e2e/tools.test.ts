import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runClaude } from "./claude.ts";
import { runCodex } from "./codex.ts";
import { armGuard, here } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { SERVER } from "./greeter.ts";
import { wasBlocked } from "./outcomes.ts";
import { denyTools, denyTouch, REASON } from "./policies.ts";
import { runToSuccess } from "./process.ts";
import { armedWorld, removeWorlds } from "./ways/worlds.ts";
import type { Step } from "./wire-format.ts";
import { type World, whyNoEtc } from "./world.ts";

inNewWorlds();
afterAll(removeWorlds);

/** The shell of Claude Code that isn't called `Bash`. */
const monitor = (command: string) => [
  { tool: "Monitor", input: { command, description: "watch", timeout_ms: 5_000 } },
  { text: "done" },
];
const ALLOWED = ["--allowedTools", "Monitor", "Bash", "ExitWorktree", "EnterWorktree"];

async function armCatalogue(...cards: string[]): Promise<void> {
  await here(world, "init");
  for (const card of cards) await here(world, "add", card);
  for (const card of cards) await here(world, "card", "trust", card, "--hooks", "--yes");
  await here(world, "write", "--runtime", "claude-code");
}

const DENIED: readonly [command: string, reason: string][] = [
  ["rm -rf /home/nobody-is-here", "/home/nobody-is-here"],
  ["cat .env", ".env"],
  ["git push --force origin main", "force"],
];

test("with the catalogue in force, what it denies doesn't run in a Monitor", async () => {
  await armCatalogue("@drwn/git", "@drwn/files", "@drwn/secrets", "@drwn/exec");
  world.write(".env", "TOKEN=the-secret\n");
  const steps = DENIED.flatMap(([command]) => monitor(command).slice(0, 1));
  const { results, turns } = await runClaude(world, { steps: [...steps, { text: "done" }], args: ALLOWED });
  expect(results).toEqual(DENIED.map(([, reason]) => wasBlocked(reason)));
  expect(JSON.stringify(turns)).not.toContain("the-secret");
});

test("without a guard a Monitor runs its command", async () => {
  const { results } = await runClaude(world, { steps: monitor("touch ran.txt"), args: ALLOWED });
  await expect.poll(() => world.has("ran.txt")).toBe(true);
  expect(results).toEqual([expect.objectContaining({ isError: false })]);
});

test("a consent in another project doesn't disarm a guard on Bash in this one", async () => {
  await armGuard(world, denyTouch, "claude-code");
  const here = world.project;
  const other = path.join(world.folder, "other");
  fs.mkdirSync(other);
  Object.assign(world, { project: other });
  await armCatalogue("@drwn/git");
  Object.assign(world, { project: here });
  const { results } = await runClaude(world, { steps: monitor("touch ran.txt"), args: ALLOWED });
  expect(results).toEqual([wasBlocked(REASON)]);
  expect(world.has("ran.txt")).toBe(false);
});

test("root's floor holds a Monitor", { timeout: 300_000 }, async ({ skip }) => {
  const reason = whyNoEtc();
  skip(reason !== undefined, reason);
  const floor = await armedWorld("system");
  const { results } = await runClaude(floor, { steps: monitor("touch ran.txt"), args: ALLOWED });
  expect(results).toEqual([wasBlocked(REASON)]);
  expect(floor.has("ran.txt")).toBe(false);
});

/** Goes into a worktree of its own, leaves a file there that nobody has committed, and leaves with it thrown away. */
const LEAVING = [
  { tool: "EnterWorktree", input: { name: "side" } },
  { tool: "Bash", input: { command: "echo work > uncommitted.txt", description: "work" } },
  { tool: "ExitWorktree", input: { action: "remove", discard_changes: true } },
  { text: "done" },
];

test.each([
  ["is refused with @drwn/git", true],
  ["happens without a guard", false],
])("throwing a worktree away with uncommitted work in it, by ExitWorktree, %s", async (_, isGuarded) => {
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  for (const args of [
    ["init", "-q"],
    [...author, "commit", "-q", "--allow-empty", "-m", "first"],
  ])
    await runToSuccess({ program: "git", args, cwd: world.project, env: world.env });
  if (isGuarded) await armCatalogue("@drwn/git");
  const { results } = await runClaude(world, { steps: LEAVING, args: ALLOWED });
  expect(results[2]).toMatchObject({
    isError: isGuarded,
    text: expect.stringContaining(isGuarded ? "keep-work" : "Discarded 1 uncommitted file"),
  });
  expect(world.has(".claude/worktrees/side/uncommitted.txt")).toBe(isGuarded);
});

/** Other tools of Claude Code that act: they start an agent, now or later, or write or read a file. */
const ACTING: readonly { tool: string; input: object }[] = [
  { tool: "CronCreate", input: { cron: "* * * * *", prompt: "go on", recurring: false } },
  { tool: "ScheduleWakeup", input: { delaySeconds: 60, reason: "later", prompt: "go on" } },
  { tool: "SendMessage", input: { to: "main", summary: "a word", message: "go on" } },
  { tool: "Workflow", input: { script: "export const meta = { name: 'w', description: 'd' };\nreturn 1;" } },
  {
    tool: "NotebookEdit",
    input: { notebook_path: "NOTEBOOK", new_source: "print(1)", cell_id: "c", edit_mode: "replace" },
  },
  { tool: "ReadMcpResourceTool", input: { server: "greeter", uri: "file:///etc/hostname" } },
];

function actingIn(project: World, acting: typeof ACTING): Step[] {
  const notebook = project.at("n.ipynb");
  const cells = [{ cell_type: "code", id: "c", source: "", metadata: {}, outputs: [], execution_count: null }];
  project.write("n.ipynb", JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
  project.write("server.mjs", SERVER);
  const args = [project.at("server.mjs"), path.join(project.folder, "started")];
  project.write("servers.json", JSON.stringify({ mcpServers: { greeter: { command: process.execPath, args } } }));
  const steps = acting.map(({ tool, input }) => ({
    tool,
    input: JSON.parse(JSON.stringify(input).replace("NOTEBOOK", notebook)),
  }));
  return [{ tool: "Read", input: { file_path: notebook } }, ...steps, { text: "done" }];
}
const ACTING_ARGS = ["--mcp-config", "servers.json", "--allowedTools", "Read", ...ACTING.map(({ tool }) => tool)];

test("with a guard on them, other tools that act are held under their own names", async () => {
  await armGuard(world, denyTools(...ACTING.map(({ tool }) => tool)), "claude-code");
  const { results } = await runClaude(world, { steps: actingIn(world, ACTING), args: ACTING_ARGS });
  expect(results.slice(1)).toEqual(ACTING.map(() => wasBlocked(REASON)));
});

test("without a guard these tools act", async () => {
  // With the other two, the program waits for their time.
  const steps = actingIn(world, ACTING.slice(2));
  const { results } = await runClaude(world, { steps, args: ACTING_ARGS });
  expect(results.slice(1).map(({ isError }) => isError)).toEqual([false, false, false, false]);
  expect(results.at(-1)?.text).toContain("the-secret");
  expect(fs.readFileSync(world.at("n.ipynb"), "utf8")).toContain("print(1)");
});

test.each(["Artifact", "Eval", "JavaScript", "PowerShell", "REPL", "Tmux"])(
  "the program itself refuses %s, which it has elsewhere or for some accounts",
  async (tool) => {
    const steps = [{ tool, input: { command: "touch ran.txt" } }, { text: "done" }];
    const { results } = await runClaude(world, { steps, args: ["--allowedTools", tool] });
    expect(results).toEqual([expect.objectContaining({ text: expect.stringContaining("No such tool available") })]);
  },
);

const DONE = { text: "done" };
const URI = "file:///etc/hostname";
const PROGRAM = `const said = [];
for (const [tool, input] of [["create_goal", { objective: "x" }], ["read_mcp_resource", { server: "greeter", uri: "${URI}" }]])
  try { said.push(await tools[tool](input)); } catch (error) { said.push(String(error)); }
text(JSON.stringify(said));`;

/** As Codex offers them to a model, and as one with code mode gets them. */
const CODEX_MODELS: readonly { model: string; steps: readonly Step[] }[] = [
  {
    model: "mock-model",
    steps: [
      { tool: "create_goal", input: { objective: "x" } },
      { tool: "read_mcp_resource", input: { server: "greeter", uri: URI } },
      { tool: "spawn_agent", namespace: "multi_agent_v1", input: { message: "SUBTASK" } },
    ],
  },
  {
    model: "gpt-5.6-sol",
    steps: [
      { tool: "exec", input: PROGRAM },
      { tool: "spawn_agent", namespace: "collaboration", input: { message: "SUBTASK", task_name: "x" } },
    ],
  },
];

describe.each(CODEX_MODELS)("Codex with $model", ({ model, steps }) => {
  test.each([true, false])(
    "asks hooks about agents, goals and MCP resources, with a guard on them: %s",
    async (isGuarded) => {
      if (isGuarded) await armGuard(world, denyTools("Agent", "create_goal", "ReadMcpResourceTool"), "codex");
      world.write("server.mjs", SERVER);
      const args = JSON.stringify([world.at("server.mjs"), path.join(world.folder, "started")]);
      const config = path.join(world.home, ".codex", "config.toml");
      fs.mkdirSync(path.dirname(config), { recursive: true });
      fs.writeFileSync(
        config,
        `# end of the model\n[mcp_servers.greeter]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`,
      );
      const { results } = await runCodex(world, {
        steps: [...steps, DONE],
        model,
        subagent: { task: "SUBTASK", steps: [DONE] },
      });
      const said = results.map(({ text }) => text).join("\n");
      expect(said.split(REASON).length - 1).toBe(isGuarded ? 3 : 0);
      expect(said.includes("the-secret")).toBe(!isGuarded);
    },
  );
});
