import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { bash, runClaude } from "./claude.ts";
import { runCodex, shell, trustHooks, withCodexOnPath } from "./codex.ts";
import { armGuard, tryDrwn } from "./drwn.ts";
import { DEEDS } from "./guarding-deeds.ts";
import { GUARDING_ROWS, type GuardingRow } from "./guarding-rows.ts";
import { denyTouch } from "./policies.ts";
import { World, whyNoEtc } from "./world.ts";

const COMMAND = "touch ran.txt";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

test.for(sweep(GUARDING_ROWS, 12).map((row) => [row.agent, row.after, row] as const))(
  "in %s, after %s, what status and doctor say is what the agent does",
  { timeout: 300_000 },
  async ([agent, after, row], { skip }) => {
    const reason = after.includes("the machine's") ? whyNoEtc() : undefined;
    skip(reason !== undefined, reason);
    await arm(agent);
    const there = ((await DEEDS[after]?.(world)) ?? world) as unknown;
    const in_ = there instanceof World ? there : world;
    expect(await outcome(in_, row)).toEqual(row);
  },
);

test.each(["--bare", "--safe-mode"])(
  "a session of Claude Code with %s is told of by log check, as one without hooks",
  { timeout: 300_000 },
  async (flag) => {
    await arm("Claude Code");
    await runClaude(world, { steps: bash(COMMAND), args: [flag] });
    const { stdout, code } = await tryDrwn(world, ["log", "check", "--json"]);
    expect([world.has("ran.txt"), code, JSON.parse(stdout).counts]).toEqual([
      true,
      3,
      { overruled: 0, unseen: 1, sessions: 1 },
    ]);
  },
);

async function arm(agent: GuardingRow["agent"]): Promise<void> {
  if (agent === "Claude Code") return await armGuard(world, denyTouch, "claude-code");
  fs.mkdirSync(path.join(world.home, ".codex"));
  // Behind this line `runCodex` leaves what a case has written.
  fs.writeFileSync(path.join(world.home, ".codex/config.toml"), "# end of the model\n");
  await armGuard(world, denyTouch, "codex");
  await trustHooks(world);
}

/** The row as it really is. A word of drwn that its own exit code contradicts counts as none. */
async function outcome(there: World, { agent, after }: GuardingRow) {
  const env = agent === "Codex" ? withCodexOnPath(there) : {};
  if (agent === "Codex") await runCodex(there, { steps: shell(COMMAND), bypassTrust: false });
  else await runClaude(there, { steps: bash(COMMAND) });
  const ran = there.has("ran.txt");
  const said = await Promise.all(
    [["status", "--check"], ["doctor"]].map(async (args) => wordOf(await tryDrwn(there, args, env))),
  );
  const [says] = [...new Set(said)];
  return { agent, after, ran, says: new Set(said).size === 1 ? says : said, found: await foundIn(there, env) };
}

async function foundIn(there: World, env: Readonly<Record<string, string>>): Promise<unknown> {
  const { stdout, stderr, code } = await tryDrwn(there, ["log", "check", "--json"], env);
  const { counts } = JSON.parse(stdout);
  if (counts === undefined) return stderr;
  const word = counts.overruled > 0 ? "overruled" : counts.unseen > 0 ? "unseen" : null;
  return (code === 3) === (word !== null) ? word : `${word}, and exit status ${code}`;
}

function wordOf({ stdout, code }: { stdout: string; code: number | null }): string {
  const [line = ""] = stdout.split("\n");
  const word = ["NOT GUARDED", "NOT KNOWN", "Guarded"].find((one) => line.startsWith(one));
  const said = word ?? (line.includes("is blocked in") ? "blocked" : line);
  const isFound = said === "NOT GUARDED" || said === "blocked";
  return (code === 3) === isFound ? said : `${said}, and exit status ${code}`;
}
