import { spawnSync } from "node:child_process";
import path from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { bash, runClaude } from "./claude.ts";
import { runCodex, shell, withCodexOnPath } from "./codex.ts";
import { guardingWord, tryDrwn } from "./drwn.ts";
import type { ModelRun } from "./mock-model.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { commandsOf, runOther } from "./run-others.ts";
import { CLAUDE_CODE } from "./ways/claude-code.ts";
import { CODEX } from "./ways/codex.ts";
import { COPILOT_CLI } from "./ways/copilot-cli.ts";
import { GEMINI_CLI } from "./ways/gemini-cli.ts";
import { COMPILER, DENIED, REWRITTEN, type Ways } from "./ways/make.ts";
import { OPENCODE } from "./ways/opencode.ts";
import { type Agent, CELLS, type Cell } from "./ways/rows.ts";
import { armedWorld, removeWorlds } from "./ways/worlds.ts";
import { type World, whyNoEtc } from "./world.ts";

afterAll(removeWorlds);

test.for(sweep(CELLS, 12).map((cell) => [cell.scope, cell.agent, cell.way, cell] as const))(
  "with the guard of the %s scope, in %s, after %s, a denied call runs as the table says",
  { timeout: 300_000 },
  async ([, , , cell], { skip }) => {
    const { client } = AGENTS[cell.agent];
    if (client !== undefined) skip(inject("others")[client] === undefined, missing(client));
    const reason = cell.scope === "system" || /machine's|managed|requirements/u.test(cell.way) ? whyNoEtc() : undefined;
    skip(reason !== undefined, reason);
    skip(
      cell.way.includes("LD_PRELOAD") && !hasCompiler(),
      "a library for LD_PRELOAD takes a C compiler, and there is none",
    );
    expect(await outcome(cell)).toEqual(cell);
  },
);

function hasCompiler(): boolean {
  return spawnSync(COMPILER, ["--version"]).status === 0;
}

interface Session {
  commands: readonly string[];
  args: readonly string[];
  prompt?: string | undefined;
}

interface Driver {
  ways: Ways;
  client?: OtherClient;
  run: (there: World, session: Session) => Promise<ModelRun>;
  /** How drwn runs when it looks for what the agent says and has kept. */
  drwn?: (there: World) => Parameters<typeof tryDrwn>[2];
}

function other(client: OtherClient, ways: Ways): Driver {
  return {
    ways,
    client,
    run: (there, { commands }) => runOther(client, there, { steps: commandsOf(client, ...commands) }),
  };
}

const AGENTS: Readonly<Record<Agent, Driver>> = {
  "Claude Code": {
    ways: CLAUDE_CODE,
    run: (there, { commands, args, prompt }) =>
      runClaude(there, { steps: bash(...commands), args, ...(prompt !== undefined && { prompt }) }),
  },
  Codex: {
    ways: CODEX,
    run: (there, { commands, args }) => runCodex(there, { steps: shell(...commands), bypassTrust: false, args }),
    drwn: (there) => (there.env["PATH"] === undefined ? { env: withCodexOnPath(there) } : {}),
  },
  "Gemini CLI": other("gemini", GEMINI_CLI),
  "Copilot CLI": other("copilot", COPILOT_CLI),
  // Its sessions are in a database that Node 20 cannot read.
  OpenCode: {
    ...other("opencode", OPENCODE),
    drwn: ({ home }) => ({ env: { XDG_DATA_HOME: path.join(home, "data") }, node: inject("node22") }),
  },
};

/** What a guard denies, and something beside it allows. */
const ALLOWED_BESIDE = "touch beside.txt";

async function outcome({ agent, way, scope, says: expected }: Cell): Promise<unknown> {
  const world = await armedWorld(scope);
  const driver = AGENTS[agent];
  const act = driver.ways[way];
  if (act === undefined) throw new Error(`nobody knows how to do this: ${way}`);
  const { there = world, args = [], prompt, isAnswered = false } = await act(world);
  const commands = isAnswered ? [ALLOWED_BESIDE, REWRITTEN] : [DENIED];
  const { results } = await driver.run(there, { commands, args, prompt });
  // A session that never got to its calls says nothing about a guard, unless the guard blocked all of it.
  if (expected !== "blocked") expect(results).toHaveLength(commands.length);
  const says = await wordsOf(there, { agent, scope });
  const isUndone = there.has("beside.txt");
  // Where the guard is asked, no answer of another hook undoes a denial.
  if (says !== "NOT GUARDED") expect(isUndone).toBe(false);
  return { agent, way, scope, ran: isUndone || there.has("ran.txt"), says };
}

/** What both commands say; if they disagree, what each says. */
async function wordsOf(there: World, { agent, scope }: Pick<Cell, "agent" | "scope">): Promise<unknown> {
  const wide = scope === "system" ? ["--system"] : [];
  const how = AGENTS[agent].drwn?.(there);
  const said = await Promise.all(
    [["status", "--check"], ["doctor"]].map(async (words) =>
      guardingWord(await tryDrwn(there, [...words, ...wide], how), agent),
    ),
  );
  const [first] = said;
  return new Set(said).size === 1 ? first : said;
}
