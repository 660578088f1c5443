import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { compileMatcher } from "../../src/card/matcher.ts";
import { DEADLINES } from "../../src/contract/deadlines.ts";
import { CAPABILITY_MODULES, FREE_MODULES } from "../../src/contract/plan.ts";
import { Problem } from "../../src/kernel/problem.ts";
import { repository } from "./world.ts";

const guide = fs.readFileSync(path.join(repository, "docs/guides/authoring-hook-policies.md"), "utf8");

/** The rows of the table with these headings; a `|` inside a cell is written `\|`. */
function rowsUnder(...headings: string[]): string[][] {
  const lines = guide.split("\n");
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/u)
      .map((cell) => cell.trim().replaceAll("\\|", "|"));
  const at = lines.findIndex((line) => line.startsWith("|") && cells(line).join() === headings.join());
  const rows = lines.slice(at + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith("|")),
    )
    .map(cells);
}

function codesIn(text = ""): string[] {
  return [...text.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code);
}

describe("the matchers of the guide", () => {
  test.each(rowsUnder("matcher", "sees", "does not see"))("%s sees %s, and not %s", (matcher, sees, misses) => {
    const expression = new RegExp(compileMatcher(codesIn(matcher)[0] ?? ""), "u");
    expect(codesIn(sees)).not.toEqual([]);
    expect(codesIn(sees).filter((tool) => !expression.test(tool))).toEqual([]);
    expect(codesIn(misses).filter((tool) => expression.test(tool))).toEqual([]);
  });

  test.each(rowsUnder("matcher", "why"))("%s is refused: %s", (matcher) => {
    expect(() => compileMatcher(codesIn(matcher)[0] ?? "")).toThrow(Problem);
  });
});

test("the guide lists each capability with exactly the modules that it opens", () => {
  const listed = rowsUnder("capability", "opens", "why a user may hesitate").map(([name, opens]) => [
    codesIn(name)[0],
    codesIn(opens).filter((code) => code.startsWith("node:")),
  ]);
  expect(Object.fromEntries(listed)).toEqual(CAPABILITY_MODULES);
});

test("the guide lists every module that a policy may always import", () => {
  const [, paragraph = ""] = /\*\*These modules of Node\*\*, always: ([\s\S]*?)\n- /u.exec(guide) ?? [];
  expect(codesIn(paragraph)).toEqual(FREE_MODULES);
});

test("the guide's deadlines are those that hold", () => {
  expect(rowsUnder("field", "").find(([field]) => field === "`timeoutMs`")?.[1]).toBe(
    `for each callback; a whole number from 1 to ${DEADLINES.maximum}; ${DEADLINES.default} when absent`,
  );
  expect(guide).toContain(
    `have ${DEADLINES.total / 1000} seconds; the agent is asked to wait ${DEADLINES.agent / 1000}.`,
  );
});
