import fc from "fast-check";
import { test } from "vitest";
import { expectSameAsDirect, polytokenFiles } from "./generated.ts";

/** `npm run test:deep` compares 200 of them. */
test.each(fc.sample(polytokenFiles, { numRuns: 3, seed: 11 }))(
  "a file of hooks decides as a card what it decides directly (file %#)",
  expectSameAsDirect,
);
