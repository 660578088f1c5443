import { expect, test } from "vitest";
import { FAILURE_CASES, runFailureCase, titleOf } from "../support/failure-cases.ts";
import { sweep } from "../support/sweep.ts";

test.each(sweep(FAILURE_CASES, 60).map((one) => [titleOf(one), one] as const))("%s", (_, one) => {
  const { got, expected } = runFailureCase(one);
  expect(got).toEqual(expected);
});
