import fc from "fast-check";
import { test } from "vitest";
import { expectSameAsDirect, polytokenFiles } from "../dialects/polytoken/generated.ts";
import { sweep } from "../support/sweep.ts";

test.each(sweep(fc.sample(polytokenFiles, { numRuns: 200, seed: 25 }), 4))(
  "a card that was made of Polytoken's hooks decides in Polytoken and in Claude Code what the file decides (file %#)",
  expectSameAsDirect,
);
