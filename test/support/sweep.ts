import { createHash } from "node:crypto";

/**
 * The cases of a long sweep that should run: all of them, or `sample` of them in order if DRWN_SWEEP_SEED is set. Only
 * the seed decides which, so the same seed repeats a failure.
 */
export function sweep<Case>(cases: readonly Case[], sample: number): Case[] {
  const seed = process.env["DRWN_SWEEP_SEED"];
  if (!seed) return [...cases];
  const lots = cases.map((_, place) => ({ place, lot: createHash("sha256").update(`${seed}:${place}`).digest("hex") }));
  const drawn = new Set(
    lots
      .sort((one, other) => (one.lot < other.lot ? -1 : 1))
      .slice(0, sample)
      .map(({ place }) => place),
  );
  return cases.filter((_, place) => drawn.has(place));
}
