import { expect, test } from "vitest";
import { OVERRULING_ROWS } from "../e2e/overruling-rows.ts";
import { checkGenerated } from "../support/generated-page.ts";

test("the page says of each neighbour of a guard what the tests with the real agents find", () => {
  const said = (ran: boolean) => (ran ? "yes" : "no");
  const rows = OVERRULING_ROWS.map((row) => [row.agent, row.beside, said(row.denied), said(row.allowed), row.said]);
  const lines = [
    ["agent", "beside the guard", "a denied call runs", "an allowed call becomes the denied one", "drwn says"],
    ["---", "---", "---", "---", "---"],
    ...rows,
  ];
  checkGenerated("docs/reference/overruling.md", lines.map((cells) => `| ${cells.join(" | ")} |\n`).join(""));
});

test("no row has a denied call run, as the page says below its table", () => {
  expect(OVERRULING_ROWS.filter(({ denied }) => denied)).toEqual([]);
});

test("drwn says of each hook in a repository's settings that nobody knows what it makes of a call", () => {
  const ofRepository = OVERRULING_ROWS.filter(({ beside }) => /^a (?:hook|plugin) in the project/u.test(beside));
  expect(ofRepository.length).toBeGreaterThan(4);
  expect(ofRepository.filter(({ said }) => said !== "NOT KNOWN")).toEqual([]);
});
