import { test } from "vitest";
import { EDITS, expectSeen } from "../hostile/own-guard.ts";
import { sweep } from "../support/sweep.ts";

test.each(sweep(EDITS, 8).map((one) => [one.what, one] as const))(
  "an agent that %s is stopped, or doctor says so",
  (_, one) => expectSeen(one),
);
