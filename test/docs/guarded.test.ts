import { test } from "vitest";
import { GUARDING_ROWS } from "../e2e/guarding-rows.ts";
import { checkGenerated } from "../support/generated-page.ts";

/** In the agent's own transcript of the call. */
const FOUND = { nothing: "nothing", unseen: "a call that no hook saw", overruled: "a denied call that ran" };

test("the page says of each way around a guard what the tests with the real agents find", () => {
  const rows = GUARDING_ROWS.map(({ agent, after, ran, says, found }) => [
    agent,
    after,
    ran ? "ran" : "did not run",
    says,
    FOUND[found ?? "nothing"],
  ]);
  const lines = [
    ["agent", "after", "the denied call", "`status` and `doctor` say", "`log check` finds"],
    ["---", "---", "---", "---", "---"],
    ...rows,
  ];
  checkGenerated("docs/reference/guarded.md", lines.map((cells) => `| ${cells.join(" | ")} |\n`).join(""));
});

test("no call ran that neither the journal nor log check tells of", ({ expect }) => {
  expect(GUARDING_ROWS.filter(({ ran, found }) => ran && found === null)).toEqual([]);
});

test("no row says Guarded where the call ran", ({ expect }) => {
  expect(GUARDING_ROWS.filter(({ ran, says }) => ran && says === "Guarded")).toEqual([]);
});
