import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ABILITIES } from "../../src/agents/adapter.ts";
import { ADAPTERS } from "../../src/agents/adapters.ts";
import { TARGETS } from "../../src/agents/targets.ts";
import { outcomeTable } from "../support/conformance.ts";
import { repository } from "./world.ts";

const page = fs.readFileSync(path.join(repository, "docs/agents.md"), "utf8");

/** The cells of every row that begins with the agent's name, in the order of the page. */
function rowsOf(title: string): string[][] {
  return page
    .split("\n")
    .filter((line) => line.startsWith(`| ${title} `))
    .map((line) =>
      line
        .split("|")
        .slice(2, -1)
        .map((cell) => cell.trim()),
    );
}

test.each(ADAPTERS.map((adapter) => [adapter.title, adapter] as const))(
  "what the page says of %s is so",
  (title, adapter) => {
    const [abilities, names] = rowsOf(title);
    expect(abilities).toEqual(ABILITIES.map((ability) => (adapter.can[ability] ? "yes" : "no")));
    const pairs = Object.entries(adapter.canonicalTools).map(([own, canonical]) => `\`${own}\` → \`${canonical}\``);
    expect(names).toEqual([pairs.length === 0 ? "none" : pairs.join(", ")]);
  },
);

test("the table of what becomes of a call is the one that every agent is tested by", () => {
  const [head = "", ...rows] = tableBelow("## What becomes of a call");
  expect(cellsOf(head)).toEqual(["policy", "says or does", ...ADAPTERS.map(({ title }) => title)]);
  expect(rows.slice(1).map(cellsOf)).toEqual(outcomeTable(ADAPTERS));
});

function tableBelow(heading: string): string[] {
  const lines = page.slice(page.indexOf(heading)).split("\n");
  const start = lines.findIndex((line) => line.startsWith("|"));
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("|"));
  return lines.slice(start, end);
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

test("the columns are the abilities", () => {
  expect(rowsOf("agent")[0]).toEqual([...ABILITIES]);
});

test("every agent that can be wired has an adapter", () => {
  const runtimes = ADAPTERS.map(({ runtime }) => runtime);
  expect(TARGETS.filter(({ runtime }) => !runtimes.includes(runtime))).toEqual([]);
});
