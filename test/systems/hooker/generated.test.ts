import fc from "fast-check";
import { test } from "vitest";
import { askedFiles, expectSameAsHooker } from "./generated.ts";

/** `npm run test:deep` compares 200 of them. */
test.each(fc.sample(askedFiles, { numRuns: 3, seed: 3 }))(
  "a policies.rb decides as a card what hooker decides (file %#)",
  expectSameAsHooker,
);
