import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import type { Runtime } from "../../src/policy/event.ts";
import { sweep } from "../support/sweep.ts";
import { bash, runClaude } from "./claude.ts";
import { runCodex, shell, trustHooks, withCodexOnPath } from "./codex.ts";
import { armGuard, guardingWord, tryDrwn } from "./drwn.ts";
import { DEEDS, profileFlag } from "./guarding-deeds.ts";
import { GUARDING_ROWS, type GuardingRow } from "./guarding-rows.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { denyTouch } from "./policies.ts";
import { commandsOf, runOther } from "./run-others.ts";
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
    const { client } = AGENTS[agent];
    if (client !== undefined) skip(inject("others")[client] === undefined, missing(client));
    await arm(AGENTS[agent]);
    const there = ((await DEEDS[after]?.(world)) ?? world) as unknown;
    const in_ = there instanceof World ? there : world;
    expect(await outcome(in_, row)).toEqual(row);
  },
);

test.each(["--bare", "--safe-mode"])(
  "a session of Claude Code with %s is told of by log check, as one without hooks",
  { timeout: 300_000 },
  async (flag) => {
    await arm(AGENTS["Claude Code"]);
    await runClaude(world, { steps: bash(COMMAND), args: [flag] });
    const { stdout, code } = await tryDrwn(world, ["log", "check", "--json"]);
    expect([world.has("ran.txt"), code, JSON.parse(stdout).counts]).toEqual([
      true,
      3,
      { overruled: 0, unseen: 1, sessions: 1 },
    ]);
  },
);

interface Agent {
  runtime: Runtime;
  client?: OtherClient;
  arm?: () => Promise<void>;
  run: (there: World) => Promise<unknown>;
  /** How drwn runs when it looks for what the agent says and has kept. */
  drwn?: (there: World) => Parameters<typeof tryDrwn>[2];
}

function other(runtime: Runtime, client: OtherClient): Agent {
  return { runtime, client, run: (there) => runOther(client, there, { steps: commandsOf(client, COMMAND) }) };
}

const AGENTS: Readonly<Record<GuardingRow["agent"], Agent>> = {
  "Claude Code": { runtime: "claude-code", run: (there) => runClaude(there, { steps: bash(COMMAND) }) },
  Codex: {
    runtime: "codex",
    arm: () => trustHooks(world),
    run: (there) => runCodex(there, { steps: shell(COMMAND), bypassTrust: false, args: profileFlag(there) }),
    drwn: (there) => ({ env: withCodexOnPath(there) }),
  },
  "Gemini CLI": other("gemini-cli", "gemini"),
  "Copilot CLI": other("copilot-cli", "copilot"),
  // Its sessions are in a database that Node 20 cannot read.
  OpenCode: {
    ...other("opencode", "opencode"),
    drwn: ({ home }) => ({ env: { XDG_DATA_HOME: path.join(home, "data") }, node: inject("node22") }),
  },
};

async function arm({ runtime, arm: more }: Agent): Promise<void> {
  if (runtime === "codex") {
    fs.mkdirSync(path.join(world.home, ".codex"));
    // After this line `runCodex` leaves what a case has written.
    fs.writeFileSync(path.join(world.home, ".codex/config.toml"), "# end of the model\n");
  }
  await armGuard(world, denyTouch, runtime);
  await more?.();
}

/** The row's real outcome. A word of drwn's that its own exit code contradicts counts as none. */
async function outcome(there: World, { agent, after }: GuardingRow) {
  await AGENTS[agent].run(there);
  const how = AGENTS[agent].drwn?.(there);
  const ran = there.has("ran.txt");
  const said = await Promise.all(
    [["status", "--check"], ["doctor"]].map(async (args) => guardingWord(await tryDrwn(there, args, how))),
  );
  const [says] = [...new Set(said)];
  return { agent, after, ran, says: new Set(said).size === 1 ? says : said, found: await foundIn(there, how) };
}

async function foundIn(there: World, how: Parameters<typeof tryDrwn>[2]): Promise<unknown> {
  const { stdout, stderr, code } = await tryDrwn(there, ["log", "check", "--json"], how);
  const { counts } = JSON.parse(stdout);
  if (counts === undefined) return stderr;
  const word = counts.overruled > 0 ? "overruled" : counts.unseen > 0 ? "unseen" : null;
  return (code === 3) === (word !== null) ? word : `${word}, and exit status ${code}`;
}
