import { describe, test } from "vitest";
import { expectSameInArawn } from "../dialects/arawn/same-decisions.ts";
import { expectSameInAstrid } from "../dialects/astrid/same-decisions.ts";
import { sweep } from "../support/sweep.ts";

/** This many generated files for each system, each with events of its own. */
const FILES = 200;

const SYSTEMS = { arawn: expectSameInArawn, astrid: expectSameInAstrid } as const;

describe.each(Object.entries(SYSTEMS))("hooks of %s decide as a card as they do from their files", (system, check) => {
  const seeds = Array.from({ length: FILES }, (_, at) => `${system} deep ${at}`);
  test.each(sweep(seeds, 2))("%s", check);
});
