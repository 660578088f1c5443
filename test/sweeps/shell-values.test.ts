import fc from "fast-check";
import { expect, test } from "vitest";
import { compareShown, scripts, shownByBash } from "../helpers/shell/random-scripts.ts";
import { sweep } from "../support/sweep.ts";

const SCRIPTS = 250;

/**
 * Real words must be among those that the reader expects. It still lacks a few, in scripts of many nested loops and
 * functions, so a share of the scripts is left open: one of these shows many words.
 */
test.each(
  sweep(
    Array.from({ length: 40 }, (_, seed) => seed),
    2,
  ),
)("what a real bash makes of words is among what the reader says, or unknown: seed %i", (seed) => {
  const all = fc.sample(scripts, { numRuns: SCRIPTS, seed });
  const real = shownByBash(all);
  const compared = all.map((text, at) => compareShown(text, real[at] ?? []));
  const count = (of: (one: (typeof compared)[number]) => number) => compared.reduce((sum, one) => sum + of(one), 0);
  const shown = count(({ exact, unknown, missing }) => exact + unknown + missing.length);
  expect(count(({ missing }) => Math.min(missing.length, 1))).toBeLessThanOrEqual(SCRIPTS * 0.02);
  expect(count(({ unknown }) => unknown) / shown).toBeLessThan(0.25);
});
