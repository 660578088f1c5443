import { expect, test } from "vitest";
import { REPLAYED } from "../support/faults/commands.ts";
import { disturb, faultPoints, rehearse } from "../support/faults/faults.ts";
import { sweep } from "../support/sweep.ts";

test.each(REPLAYED)("$name can be killed, or fail, at any call, and is simply run again", async (command) => {
  const rehearsal = await rehearse(command);
  const points = sweep(faultPoints(rehearsal), 12);
  expect(points.flatMap((point) => disturb(rehearsal, point))).toEqual([]);
});
