import { expect, test } from "vitest";
import { COMMANDS, makeOddPlaces, NAMES } from "../support/odd-places.ts";

/** Every third command meets another place; `test/sweeps/odd-places.test.ts` tries all commands with all places. */
test("a command says why and ends, wherever its path leads", { timeout: 120_000 }, async () => {
  const places = await makeOddPlaces();
  expect(places.names).toEqual(NAMES);
  for (const [at, command] of COMMANDS.entries()) {
    if (at % 3 !== 0) continue;
    const name = NAMES[at % NAMES.length] ?? "";
    const { status, said } = await places.run(command, name);
    expect([command, name, status, said]).toEqual([
      command,
      name,
      expect.toBeOneOf([0, 1, 2, 3]),
      expect.not.stringContaining("a bug of"),
    ]);
  }
});
