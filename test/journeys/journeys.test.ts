import { test } from "vitest";
import { whyNoTerminal } from "../e2e/terminal.ts";
import { expectAsKept } from "./journeys.ts";

// The others, in narrow and wide terminals, with and without colour, are a sweep: test/sweeps/journeys.test.ts.
test.skipIf(whyNoTerminal() !== undefined)("the first guard, as a person sees it", async () => {
  await expectAsKept("first-guard", { columns: 80, isColoured: false });
});
