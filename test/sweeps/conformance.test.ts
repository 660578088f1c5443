import { test } from "vitest";
import { allAdapters } from "../../src/agents/adapters.ts";
import { conformanceCases, eventOf, expectConformance, nameOf } from "../support/conformance.ts";
import { sweep } from "../support/sweep.ts";

const reachable = allAdapters().filter(({ runtime }) => eventOf(runtime, "pre-tool", "/p") !== undefined);

test.each(sweep(conformanceCases(reachable), 16).map((one) => [nameOf(one), one] as const))("%s", (_, one) => {
  expectConformance(one);
});
