import { runBlock } from "./block-kinds.ts";
import type { Block, Page } from "./markdown.ts";
import type { Run } from "./run.ts";
import { makeWorld } from "./world.ts";

/** Runs the blocks of a page in order, in a home and a project of its own, with the real program if it `isReal`. Fails on the first that is not as it says. */
export async function runPage({ blocks }: Page, isReal = false): Promise<void> {
  const run: Run = { world: makeWorld(isReal), outcome: undefined, uncompiled: new Map() };
  for (const block of blocks) await attempt(run, block);
  for (const [card, line] of run.uncompiled) throw new Error(`line ${line}: no later command compiles ${card}`);
}

async function attempt(run: Run, block: Block): Promise<void> {
  try {
    await runBlock(run, block);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new Error(`line ${block.line}: ${what}`, { cause: error });
  }
}
