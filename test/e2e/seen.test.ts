import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { bash, runClaude } from "./claude.ts";
import { runCodex, shell, trustHooks } from "./codex.ts";
import { armGuard, drwn, publishGuard, tryDrwn } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { denyTouch } from "./policies.ts";

inNewWorlds();

const COMMAND = "touch ran.txt";

/** What a person reads first, and whether a script is told. */
async function status() {
  const { stdout, code } = await tryDrwn(world, ["status", "--check"]);
  return { line: stdout.split("\n")[0] ?? "", code };
}

const settings = () => path.join(world.home, ".claude/settings.json");

function addSettings(fields: object): void {
  fs.writeFileSync(settings(), JSON.stringify({ ...JSON.parse(fs.readFileSync(settings(), "utf8")), ...fields }));
}

const UNSEEN: readonly [string, () => readonly string[]][] = [
  [
    "settings that Claude Code drops without a word",
    () => {
      addSettings({ permissions: { defaultMode: "yolo" } });
      return [];
    },
  ],
  [
    "settings that a later version drops",
    () => {
      addSettings({ statusLine: "date" });
      return [];
    },
  ],
  ["--bare", () => ["--bare"]],
  ["--safe-mode", () => ["--safe-mode"]],
  ["another settings source", () => ["--setting-sources", "project"]],
];

test.each(sweep(UNSEEN, 2))(
  "after a session of Claude Code with %s, in which a denied call ran, status says so",
  async (_, spoil) => {
    await armGuard(world, denyTouch, "claude-code");
    await runClaude(world, { steps: bash(COMMAND), args: spoil() });
    expect(world.has("ran.txt")).toBe(true);
    const { line, code } = await status();
    expect(line).toMatch(
      /^NOT GUARDED in Claude Code: in the last sessions 1 call ran without asking the hook, the last one at .*, of Bash\. Run: drwn log --check$/u,
    );
    expect(code).toBe(3);
    const check = await tryDrwn(world, ["log", "--check", "--json"]);
    expect([check.code, JSON.parse(check.stdout).counts]).toEqual([3, { overruled: 0, unseen: 1, sessions: 1 }]);
  },
);

test("after a guarded session status says Guarded, in a project and where only a guard of every folder is", async () => {
  await armGuard(world, denyTouch, "claude-code");
  const { results } = await runClaude(world, { steps: bash(COMMAND, "echo harmless") });
  expect(results).toHaveLength(2);
  expect(await status()).toEqual({ line: "Guarded: Claude Code", code: 0 });
});

test("a guard of every folder is contradicted, too", async () => {
  await publishGuard(world, denyTouch);
  await drwn(world, "add", "-g", "@me/guard");
  await drwn(world, "card", "trust", "-g", "@me/guard", "--hooks", "--yes");
  await drwn(world, "write", "-g", "--runtime", "claude-code");
  const said = async () => (await tryDrwn(world, ["status", "-g", "--check"])).stdout.split("\n")[0];
  await runClaude(world, { steps: bash("echo harmless") });
  expect(await said()).toBe("Guarded: Claude Code");
  await runClaude(world, { steps: bash(COMMAND), args: ["--bare"] });
  expect(await said()).toContain("NOT GUARDED in Claude Code");
});

test("after `codex exec --ignore-user-config`, in which a denied call ran, status says so", async () => {
  // After this line `runCodex` leaves what is there.
  world.write(path.join(world.home, ".codex/config.toml"), "# end of the model\n");
  await armGuard(world, denyTouch, "codex");
  await trustHooks(world);
  await runCodex(world, { steps: shell(COMMAND), bypassTrust: false, ignoresConfig: true });
  expect(world.has("ran.txt")).toBe(true);
  const { line, code } = await status();
  expect(line).toMatch(/^NOT GUARDED in Codex: in the last sessions 1 call ran without asking the hook/u);
  expect(code).toBe(3);
});
