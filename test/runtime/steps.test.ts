import fs from "node:fs";
import { expect, test } from "vitest";

const anatomy: { STEPS: Record<string, Record<string, string>> } = await import(
  new URL("../bench/anatomy.mjs", import.meta.url).href
);

test("every step that the bench puts a clock around is a function of the hook process", () => {
  const missing = Object.entries(anatomy.STEPS).flatMap(([file, steps]) => {
    const text = fs.readFileSync(new URL(`../../src/runtime/${file}`, import.meta.url), "utf8");
    return Object.keys(steps).filter((name) => !new RegExp(`^(?:export )?function ${name}\\b`, "mu").test(text));
  });
  expect(missing).toEqual([]);
});
