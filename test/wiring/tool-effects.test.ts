import { expect, test } from "vitest";
import { allAdapters } from "../../src/agents/adapters.ts";
import { allTargets } from "../../src/agents/targets.ts";

const TARGETS = allTargets().filter(({ tools }) => tools !== undefined);

test.each(TARGETS.map(({ runtime, tools = {} }) => [runtime, tools] as const))(
  "each tool of %s that has a canonical name is one whose effect is known",
  (runtime, tools) => {
    const canonical = allAdapters().find((adapter) => adapter.runtime === runtime)?.canonicalTools ?? {};
    expect(
      Object.entries(canonical)
        .flat()
        .filter((tool) => tools[tool] === undefined),
    ).toEqual([]);
  },
);

test("the same tool has one effect, whichever agent has it", () => {
  const effects = new Map<string, Set<string>>();
  for (const { tools = {} } of TARGETS)
    for (const [tool, effect] of Object.entries(tools)) effects.set(tool, (effects.get(tool) ?? new Set()).add(effect));
  expect([...effects].filter(([, found]) => found.size > 1).map(([tool]) => tool)).toEqual([]);
});
