import { describe, test } from "vitest";
import { whyNoTerminal } from "../e2e/terminal.ts";
import { expectAsKept, JOURNEYS } from "../journeys/journeys.ts";
import { sweep } from "../support/sweep.ts";

/** Where lines break and what colours them are two matters: colour at the width that breaks more of them. */
const LOOKS = [
  { columns: 80, isColoured: false },
  { columns: 80, isColoured: true },
  { columns: 120, isColoured: false },
] as const;
const SESSIONS = Object.entries(JOURNEYS).flatMap(([name, { isPlain }]) =>
  LOOKS.filter(({ isColoured }) => !(isPlain && isColoured)).map((look) => ({ name, ...look })),
);

describe.skipIf(whyNoTerminal() !== undefined)("what a person sees", () => {
  test.each(sweep(SESSIONS, 6))("$name at $columns columns, with colour: $isColoured", ({ name, ...look }) =>
    expectAsKept(name, look),
  );
});
