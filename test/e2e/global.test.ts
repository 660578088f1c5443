import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { AgentId } from "../../src/policy/event.ts";
import { bash, runClaude } from "./claude.ts";
import { runCodex, shell, trustHooks } from "./codex.ts";
import { drwn, publishGuard, tryDrwn } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { runMastra, workspaceShell } from "./mastra.ts";
import { denyTouch } from "./policies.ts";

const COMMAND = "touch ran.txt";

inNewWorlds();

/** Guards every folder of the world's user; no folder is a project. */
async function guardEverywhere(...agents: AgentId[]): Promise<void> {
  await publishGuard(world, denyTouch);
  await drwn(world, "add", "-g", "@me/guard");
  await drwn(world, "card", "trust", "-g", "@me/guard", "--hooks", "--yes");
  await drwn(world, "write", "-g", ...agents.flatMap((agent) => ["--runtime", agent]));
}

const ledger = () => path.join(world.home, ".agents/drwn/ledger", `${"0".repeat(64)}.json`);

test("Claude Code is held where no project is, and in a project with nothing of its own", async () => {
  await guardEverywhere("claude-code");
  await runClaude(world, { steps: bash(COMMAND) });
  expect(world.has("ran.txt")).toBe(false);
  await drwn(world, "init");
  await runClaude(world, { steps: bash(COMMAND) });
  expect(world.has("ran.txt")).toBe(false);
  expect((await tryDrwn(world, ["status", "--check"])).code).toBe(0);
  expect((await drwn(world, "log", "-g", "--json")).stdout).toContain('"scope": "global"');
}, 300_000);

test("Claude Code runs nothing when the consents for every folder are gone, until a person says that silence is meant", async () => {
  await guardEverywhere("claude-code");
  fs.rmSync(ledger());
  await runClaude(world, { steps: bash("echo harmless >ran.txt") });
  expect(world.has("ran.txt")).toBe(false);
  expect((await tryDrwn(world, ["status", "-g", "--check"])).code).toBe(3);
  expect((await drwn(world, "card", "untrust", "-g", "@me/guard")).stdout).toContain("blocked until: drwn write");
  await drwn(world, "write", "-g");
  await runClaude(world, { steps: bash(COMMAND) });
  expect(world.has("ran.txt")).toBe(true);
}, 300_000);

test("Codex is held where no project is, by the entry that a person trusted once", async () => {
  fs.mkdirSync(path.join(world.home, ".codex"));
  fs.writeFileSync(path.join(world.home, ".codex/config.toml"), "# end of the model\n");
  await guardEverywhere("codex");
  await trustHooks(world);
  await runCodex(world, { steps: shell(COMMAND), bypassTrust: false });
  expect(world.has("ran.txt")).toBe(false);
}, 300_000);

test("an app with a Mastra agent is held where no project is, by what it imports of drwn's package", async () => {
  await guardEverywhere("claude-code");
  const { results } = await runMastra(world, { steps: workspaceShell(COMMAND), guards: "package" });
  expect(results.map(({ text }) => text)).toEqual([expect.stringContaining("[@me/guard#gate]")]);
  expect(world.has("ran.txt")).toBe(false);
}, 300_000);
