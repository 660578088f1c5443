import { spawnSync } from "node:child_process";
import { afterAll, expect, inject, test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { bash, runClaude } from "./claude.ts";
import { runCodex, shell, withCodexOnPath } from "./codex.ts";
import { guardingWord, tryDrwn } from "./drwn.ts";
import type { ModelRun } from "./mock-model.ts";
import { missing } from "./other-clients.ts";
import { commandsOf, runOther } from "./run-others.ts";
import { SYSTEM_CELLS, type SystemCell } from "./system-rows.ts";
import { COMPILER, DENIED, WAYS } from "./system-ways.ts";
import { armedWorld, removeWorlds } from "./system-worlds.ts";
import { type World, whyNoEtc } from "./world.ts";

afterAll(removeWorlds);

test.for(sweep(SYSTEM_CELLS, 6).map((cell) => [cell.scope, cell.agent, cell.way, cell] as const))(
  "with the guard of the %s scope, in %s, after %s, a denied call runs as the table says",
  { timeout: 300_000 },
  async ([, , , cell], { skip }) => {
    const reason = whyNoEtc();
    skip(reason !== undefined, reason);
    skip(cell.agent === "Gemini CLI" && inject("others").gemini === undefined, missing("gemini"));
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

const SESSIONS: Readonly<
  Record<SystemCell["agent"], (there: World, command: string, args: readonly string[]) => Promise<ModelRun>>
> = {
  "Claude Code": (there, command, args) => runClaude(there, { steps: bash(command), args }),
  Codex: (there, command, args) => runCodex(there, { steps: shell(command), bypassTrust: false, args }),
  "Gemini CLI": (there, command) => runOther("gemini", there, { steps: commandsOf("gemini", command) }),
};

async function outcome({ agent, way, scope }: SystemCell): Promise<unknown> {
  const world = await armedWorld(scope);
  const { there = world, args = [], command = DENIED } = (await WAYS[agent][way]?.(world)) ?? {};
  const { results } = await SESSIONS[agent](there, command, args);
  // A session that never got to its call says nothing about a guard.
  expect(results).toHaveLength(1);
  const ran = world.has("ran.txt");
  const says = await wordsOf(there, { agent, scope });
  return { agent, way, scope, ran, says };
}

/** What both commands say; if they disagree, what each says. */
async function wordsOf(there: World, { agent, scope }: Pick<SystemCell, "agent" | "scope">): Promise<unknown> {
  const wide = scope === "system" ? ["--system"] : [];
  const env = there.env["PATH"] === undefined ? withCodexOnPath(there) : {};
  const said = await Promise.all(
    [["status", "--check"], ["doctor"]].map(async (words) => {
      const result = await tryDrwn(there, [...words, ...wide], { env });
      return guardingWord(result, agent);
    }),
  );
  const [first] = said;
  return new Set(said).size === 1 ? first : said;
}
