import { expect, test } from "vitest";
import { COMMANDS, makeOddPlaces, NAMES } from "../support/odd-places.ts";
import { sweep } from "../support/sweep.ts";

test.each(sweep(COMMANDS, 4))(
  "`drwn %s` says why, and ends, wherever the path leads",
  { timeout: 600_000 },
  async (command) => {
    const places = await makeOddPlaces();
    for (const name of NAMES) {
      const { status, said } = await places.run(command, name);
      expect([name, status, said]).toEqual([
        name,
        expect.toBeOneOf([0, 1, 2, 3]),
        expect.not.stringContaining("a bug of"),
      ]);
    }
  },
);
