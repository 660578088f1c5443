import { test } from "vitest";
import { GUARDING_ROWS } from "../e2e/guarding-rows.ts";
import { checkGenerated } from "../support/generated-page.ts";

test("the page says of each way around a guard what the tests with the real agents find", () => {
  const rows = GUARDING_ROWS.map(({ agent, after, ran, says }) => [agent, after, ran ? "ran" : "did not run", says]);
  const lines = [
    ["agent", "after", "the denied call", "`status` and `doctor` say"],
    ["---", "---", "---", "---"],
    ...rows,
  ];
  checkGenerated("docs/reference/guarded.md", lines.map((cells) => `| ${cells.join(" | ")} |\n`).join(""));
});

test("no row says Guarded where the call ran", ({ expect }) => {
  expect(GUARDING_ROWS.filter(({ ran, says }) => ran && says === "Guarded")).toEqual([]);
});
