import fc from "fast-check";
import { test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { expectSameAsDirect, polytokenFiles } from "../systems/polytoken/generated.ts";

test.each(sweep(fc.sample(polytokenFiles, { numRuns: 200, seed: 25 }), 4))(
  "a card that was made of Polytoken's hooks decides in Polytoken and in Claude Code what the file decides (file %#)",
  expectSameAsDirect,
);
