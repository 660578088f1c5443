import { expect, test } from "vitest";
import { REPLAYED } from "../support/faults/commands.ts";
import { disturb, type Rehearsal, rehearse } from "../support/faults/faults.ts";
import type { Shape } from "../support/faults/replay.ts";

// A few moments that matter; test/sweeps/faults.test.ts tries all of them.
test.each<[string, string, Shape, string, RegExp]>([
  ["add", "is killed between card.lock and config.json", "kill", "rename", /project\/\.agents/u],
  ["install", "finds the disk full in the store", "ENOSPC", "writeFile", /\/store\/.*SKILL\.md$/u],
  ["card publish", "is killed before its version is listed", "kill", "rm", /registry\/cards/u],
  ["card trust", "is killed while it writes its intent down", "torn", "writeFile", /projects\/\w+\/\.drwn-tmp/u],
  ["card untrust", "finds the disk full at its ledger", "short", "writeFile", /ledger\/\.drwn-tmp/u],
  ["write, of another version", "is killed before it changes a skill", "kill", "rename", /skills\/review/u],
  ["remove", "is killed before its last file changes", "kill", "rename", /project\/\.agents/u],
])("when %s %s, the old or the new state is there, and the next run finishes it", async (...row) => {
  const [name, , shape, call, target] = row;
  const command = REPLAYED.find((one) => one.name === name);
  if (command === undefined) throw new Error(`no command is named ${name}`);
  const rehearsal = await rehearse(command);
  expect(disturb(rehearsal, { shape, at: lastCall(rehearsal, call, target) })).toEqual([]);
});

function lastCall({ calls }: Rehearsal, name: string, target: RegExp): number {
  const at = calls.findLastIndex((call) => call.name === name && target.test(call.target));
  if (at < 0) throw new Error(`there is no ${name} of ${target}: ${JSON.stringify(calls)}`);
  return at + 1;
}
