import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readCases } from "../../src/card/hooks/cases.ts";
import { indexSource, printIndex } from "../../src/card/source/build-index.ts";
import { loadSource } from "../../src/card/source/source.ts";
import { findCard, runCardTest } from "../../src/operations/author/test-card.ts";
import { testHost } from "../support/host.ts";

const folder = path.resolve(import.meta.dirname, "../../templates/cards");
const cards = fs.readdirSync(folder).filter((name) => fs.existsSync(path.join(folder, name, "card.json")));

describe.each(cards)("@drwn/%s", (name) => {
  const source = loadSource(path.join(folder, name));

  test("passes its cases through the real engine", async () => {
    const host = testHost();
    const card = await findCard(host, path.join(folder, name));
    const { ok, results } = await runCardTest(host, { card, isAllowed: false, mutates: false });
    expect(results.filter(({ state }) => state !== "passed")).toEqual([]);
    expect(ok).toBe(true);
  });

  test("has an index that is of its policies", async () => {
    expect(source.index?.toString()).toBe(printIndex(await indexSource(source)));
  });

  test.each(source.manifest.hooks?.include ?? [])("%s has cases enough, and proposes what it allows", (hook) => {
    const cases = readCases(source.importable, hook);
    expect(cases.length).toBeGreaterThanOrEqual(25);
    expect(cases.filter(({ expect: verdict }) => verdict === "allow").length).toBeGreaterThanOrEqual(10);
    expect(cases.some(({ instead }) => instead !== undefined)).toBe(true);
  });

  test("needs nothing beyond the event", () => {
    expect(source.manifest.hooks?.capabilities ?? {}).toEqual({});
  });
});
