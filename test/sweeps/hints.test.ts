import { expect, test } from "vitest";
import { consented, person, wiredAt } from "../support/person.ts";
import { sweep } from "../support/sweep.ts";

const WIRED = [".claude/settings.json", ".copilot/hooks/drwn.json", ".gemini/settings.json"];

test.each(sweep([1, 2, 3, 4], 1))(
  "the hints of doctor agree: in any order (%d) they end with no hint, and no guard is lost",
  async (seed) => {
    const machine = await consented(person({ folders: [".claude", ".copilot", ".gemini"] }));
    await machine.drwn("write", "--runtime", "claude-code");
    const random = randomFrom(seed);
    for (let round = 0; round < 8; round++) {
      const { findings } = JSON.parse((await machine.drwn("doctor", "--json")).stdout) as {
        findings: { hint: string | null }[];
      };
      const hints = [...new Set(findings.flatMap(({ hint }) => (hint?.startsWith("drwn write") ? hint : [])))];
      if (hints.length === 0) break;
      for (const hint of hints.sort(() => random() - 0.5)) {
        const before = wiredAt(machine);
        await machine.drwn(...hint.split(" ").slice(1));
        expect(wiredAt(machine)).toEqual(expect.arrayContaining(before));
      }
    }
    expect(wiredAt(machine)).toEqual(WIRED);
    expect((await machine.drwn("doctor")).status).toBe(0);
  },
);

/** The same numbers in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
