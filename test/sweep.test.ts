import { afterEach, expect, test, vi } from "vitest";
import { sweep } from "./support/sweep.ts";

const CASES = Array.from({ length: 50 }, (_, place) => place);

afterEach(() => vi.unstubAllEnvs());

test("a sweep without a seed runs every case", () => {
  vi.stubEnv("DRWN_SWEEP_SEED", "");
  expect(sweep(CASES, 5)).toEqual(CASES);
});

test("a seed draws a sample in the order of the cases, the same each time", () => {
  vi.stubEnv("DRWN_SWEEP_SEED", "7");
  const drawn = sweep(CASES, 5);
  expect(drawn).toHaveLength(5);
  expect(drawn).toEqual(drawn.toSorted((one, other) => one - other));
  expect(sweep(CASES, 5)).toEqual(drawn);
});

test("another seed draws other cases", () => {
  vi.stubEnv("DRWN_SWEEP_SEED", "7");
  const first = sweep(CASES, 5);
  vi.stubEnv("DRWN_SWEEP_SEED", "8");
  expect(sweep(CASES, 5)).not.toEqual(first);
});
