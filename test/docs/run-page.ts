import { runBlock } from "./block-kinds.ts";
import type { Block, Page } from "./markdown.ts";
import { makeWorld, type Outcome, type World } from "./world.ts";

/** What the blocks of one page share: later ones build on earlier ones. */
export interface Run {
  world: World;
  /** Of the last block of commands, or the last event. */
  outcome: Outcome | undefined;
  /** Cards whose policies were written and are still to be compiled by a command, with the line of the block. */
  uncompiled: Map<string, number>;
}

/** Runs the blocks of a page in order, in a home and a project of its own. Fails on the first that is not as it says. */
export async function runPage({ blocks }: Page): Promise<void> {
  const run: Run = { world: makeWorld(), outcome: undefined, uncompiled: new Map() };
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
