import { expect, test } from "vitest";
import { ABILITIES } from "../../src/agents/adapter.ts";
import { ADAPTERS } from "../../src/agents/adapters.ts";
import { TARGETS } from "../../src/agents/targets.ts";
import { outcomeTable } from "../support/conformance.ts";
import { checkGenerated } from "../support/generated-page.ts";

const PAGE = "docs/agents.md";

test("what the page says that each agent can carry is so", () => {
  const rows = ADAPTERS.map(({ title, can, onlyIf = {} }) => {
    const cells = ABILITIES.map((ability) => {
      const condition = onlyIf[ability] === undefined ? "" : `, if ${onlyIf[ability]}`;
      return can[ability] ? `yes${condition}` : "no";
    });
    return [title, ...cells];
  });
  checkGenerated(PAGE, printTable([["agent", ...ABILITIES], ...rows]), "abilities");
});

test("the names of tools on the page are those of the adapters", () => {
  const rows = ADAPTERS.map(({ title, canonicalTools }) => {
    const pairs = Object.entries(canonicalTools).map(([own, canonical]) => `\`${own}\` → \`${canonical}\``);
    return [title, pairs.length === 0 ? "none" : pairs.join(", ")];
  });
  checkGenerated(PAGE, printTable([["agent", "its own name → the canonical one"], ...rows]), "names");
});

test("the table of what becomes of a call is the one that every agent is tested by", () => {
  const head = ["policy", "says or does", ...ADAPTERS.map(({ title }) => title)];
  checkGenerated(PAGE, printTable([head, ...outcomeTable(ADAPTERS)]), "outcomes");
});

test("every agent that can be wired has an adapter", () => {
  const runtimes = ADAPTERS.map(({ runtime }) => runtime);
  expect(TARGETS.filter(({ runtime }) => !runtimes.includes(runtime))).toEqual([]);
});

function printTable([head = [], ...rows]: readonly string[][]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}
