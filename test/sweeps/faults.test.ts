import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { REPLAYED } from "../support/faults/commands.ts";
import { disturb, faultPoints, rehearse } from "../support/faults/faults.ts";
import { sweep } from "../support/sweep.ts";

const AN_HOUR = 3_600_000;

test.each(REPLAYED)(
  "$name can be killed, or fail, at any call, and is run again",
  async (command) => {
    const rehearsal = await rehearse(command);
    const points = sweep(faultPoints(rehearsal), 5);
    expect(points.flatMap((point) => disturb(rehearsal, point))).toEqual([]);
  },
  AN_HOUR,
);

const PAGE = path.resolve(import.meta.dirname, "../../docs/explanation/reliability.md");
const TABLE = /(?<=\n\| command \| calls \| disturbances \|\n(?:\| -+ ){3}\|\n)(?:\|[^\n]*\n)+/u;

// `npm run test:deep -- -t "says how many" -u` rewrites the table.
test("docs/explanation/reliability.md says how many calls and disturbances of each command there are", async () => {
  const rows: string[] = [];
  for (const command of REPLAYED) {
    const rehearsal = await rehearse(command);
    rows.push(`| \`${command.name}\` | ${rehearsal.calls.length} | ${faultPoints(rehearsal).length} |\n`);
  }
  const page = fs.readFileSync(PAGE, "utf8");
  expect(page).toMatch(TABLE);
  await expect(page.replace(TABLE, rows.join(""))).toMatchFileSnapshot(PAGE);
});
