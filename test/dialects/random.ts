import { createHash } from "node:crypto";

/** Choices that a seed decides: the same each time. */
export interface Random {
  below(limit: number): number;
  chance(share: number): boolean;
  from<T>(list: readonly T[]): T;
  /** As many as is decided, each made anew. */
  some<T>(least: number, most: number, make: () => T): T[];
}

export function randomOf(seed: string): Random {
  let count = 0;
  const below = (limit: number) =>
    createHash("sha256").update(`${seed}:${count++}`).digest().readUInt32BE(0) % Math.max(1, limit);
  return {
    below,
    chance: (share) => below(1_000) < share * 1_000,
    from: (list) => {
      const one = list[below(list.length)];
      if (one === undefined) throw new Error("there is nothing to choose from");
      return one;
    },
    some: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, make),
  };
}
