import { expect, test } from "vitest";
import { findCard, runCardTest } from "../../src/operations/author/test-card.ts";
import { CATALOGUE, folderOf } from "../support/catalogue.ts";
import { testHost } from "../support/host.ts";
import { sweep } from "../support/sweep.ts";

test.each(sweep(CATALOGUE, 3))("@drwn/%s passes its cases, told by each agent and asked about again", async (name) => {
  const host = testHost();
  const card = await findCard(host, folderOf(name));
  const { ok, results } = await runCardTest(host, { card, isAllowed: false, mutates: false });
  expect(results.filter(({ state }) => state !== "passed")).toEqual([]);
  expect(ok).toBe(true);
});
