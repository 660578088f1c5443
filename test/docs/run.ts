import type { Outcome, World } from "./world.ts";

/** What the blocks of one page share: later ones build on earlier ones. */
export interface Run {
  world: World;
  /** Of the last block of commands, or the last event. */
  outcome: Outcome | undefined;
  /** Cards whose policies were written and are still to be compiled by a command, with the line of the block. */
  uncompiled: Map<string, number>;
}
