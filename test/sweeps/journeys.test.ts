import { describe, test } from "vitest";
import { whyNoTerminal } from "../e2e/terminal.ts";
import { expectAsKept, JOURNEYS } from "../journeys/journeys.ts";
import { sweep } from "../support/sweep.ts";

const LOOKS = ([80, 120] as const).flatMap((columns) => [false, true].map((isColoured) => ({ columns, isColoured })));
const SESSIONS = Object.entries(JOURNEYS).flatMap(([name, { isPlain }]) =>
  LOOKS.filter(({ isColoured }) => !(isPlain && isColoured)).map((look) => ({ name, ...look })),
);

describe.skipIf(whyNoTerminal() !== undefined)("what a person sees", () => {
  test.each(sweep(SESSIONS, 6))("$name at $columns columns, with colour: $isColoured", ({ name, ...look }) =>
    expectAsKept(name, look),
  );
});
