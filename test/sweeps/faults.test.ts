import { expect, test } from "vitest";
import { REPLAYED } from "../support/faults/commands.ts";
import { disturb, faultPoints, rehearse } from "../support/faults/faults.ts";
import { sweep } from "../support/sweep.ts";

const AN_HOUR = 3_600_000;

test.each(sweep(REPLAYED, 5))(
  "$name can be killed, or fail, at any call, and is run again",
  async (command) => {
    const rehearsal = await rehearse(command);
    const points = sweep(faultPoints(rehearsal), 4);
    expect(points.flatMap((point) => disturb(rehearsal, point))).toEqual([]);
  },
  AN_HOUR,
);
