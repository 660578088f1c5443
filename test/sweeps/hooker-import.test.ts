import fc from "fast-check";
import { test } from "vitest";
import { askedFiles, expectSameAsHooker } from "../dialects/hooker/generated.ts";
import { sweep } from "../support/sweep.ts";

test.each(sweep(fc.sample(askedFiles, { numRuns: 200, seed: 4 }), 4))(
  "a card that was made of a policies.rb denies and adds what hooker does, for the same reason (file %#)",
  expectSameAsHooker,
);
