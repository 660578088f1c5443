import fs from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { HeardCalls } from "../../src/journal/heard-calls.ts";
import { countJournal } from "../../src/operations/report/count-journal.ts";
import { Tally } from "../../src/operations/report/tally.ts";
import { temporaryFolder } from "../support/cards.ts";

const KEY = "ab".repeat(32);
const SESSIONS = new Set(["s1", "s2"]);
const SINCE = new Date("2026-01-31T12:00:30.000Z");
const NEVER = Number.POSITIVE_INFINITY;

/** Each text is a file of the journal, the last one is that which is written to. */
function journalOf(texts: readonly string[]): { home: string; key: string } {
  const home = temporaryFolder();
  const folder = path.dirname(layout.journal(home, KEY));
  fs.mkdirSync(folder, { recursive: true });
  for (const [at, text] of texts.entries()) {
    const aside = path.join(folder, `journal.${String(at + 1).padStart(6, "0")}-1.jsonl`);
    fs.writeFileSync(at === texts.length - 1 ? layout.journal(home, KEY) : aside, text);
  }
  return { home, key: KEY };
}

/** All that is made of a journal, in the order in which it is found. */
async function count(journal: { home: string; key: string }, worthAThread: number) {
  let threads = 0;
  const hear = () => threads++;
  process.on("worker", hear);
  const counts = { tally: new Tally(SINCE), heard: new HeardCalls(SESSIONS), overruled: [] };
  await countJournal(journal, { since: SINCE, counts, sessions: SESSIONS }, worthAThread);
  process.off("worker", hear);
  const { entries, since } = counts.heard.state;
  const found = JSON.stringify([counts.tally.result(), [...entries], [...since], counts.overruled], null, 1);
  return { found, threads };
}

const said = fc.record(
  {
    policy: fc.constantFrom("@me/a@1.0.0#one", "@me/a@1.0.0#two", "@me/b@1.0.0#one"),
    kind: fc.constantFrom("enforcement", "observer"),
    bundle: fc.constant("sha256-0"),
    mode: fc.constantFrom("enforce", "shadow"),
    decision: fc.constantFrom("none", "deny", "ask"),
    failure: fc.constant("broken"),
    ms: fc.constantFrom(0.1, 0.2, 7),
    applied: fc.boolean(),
  },
  { requiredKeys: ["policy", "kind", "bundle", "ms", "applied"] },
);

const line = fc
  .record(
    {
      time: fc.nat(300).map((seconds) => new Date(Date.parse("2026-01-31T12:00:00Z") + seconds * 1_000).toISOString()),
      runtime: fc.constantFrom("codex", "claude-code"),
      phase: fc.constantFrom("pre-tool", "post-tool"),
      tool: fc.constantFrom("Bash", null),
      call: fc.constantFrom("c1", "c2"),
      session: fc.constantFrom("s1", "s3"),
      overruled: fc.constant("abcd"),
      policies: fc.array(said, { maxLength: 2 }),
      verdict: fc.constantFrom("allow", "deny", "ask"),
      effective: fc.constantFrom("allow", "deny"),
      rule: fc.constantFrom("deny", "failure"),
      by: fc.constantFrom("@me/a@1.0.0#one", "@me/b@1.0.0#one"),
      reason: fc.constantFrom("one", "two", "three"),
      ms: fc.constantFrom(20, 20.5, 31),
      hash: fc.stringMatching(/^[0-9a-f]{64}$/u),
    },
    { requiredKeys: ["time", "runtime", "phase", "tool", "policies", "verdict", "effective", "ms", "hash"] },
  )
  .map((one) => `${JSON.stringify(one)}\n`);
const damaged = fc.tuple(line, fc.nat(400)).map(([text, at]) => text.slice(0, at) + text.slice(at + 3));

test("two threads find in a journal, damaged or not, what one finds", async () => {
  const lines = fc.array(fc.oneof({ arbitrary: line, weight: 5 }, { arbitrary: damaged, weight: 1 }), {
    maxLength: 40,
  });
  const texts = fc.array(
    lines.map((some) => some.join("")),
    { minLength: 1, maxLength: 5 },
  );
  let threads = 0;
  await fc.assert(
    fc.asyncProperty(texts, async (some) => {
      const journal = journalOf(some);
      const [one, two] = [await count(journal, NEVER), await count(journal, 0)];
      expect([two.found, one.threads]).toEqual([one.found, 0]);
      threads += two.threads;
    }),
    { numRuns: 12 },
  );
  if (availableParallelism() > 1) expect(threads).toBeGreaterThan(0);
});

test("of more kinds of calls than are told apart, two threads tell apart the same", async () => {
  const call = (at: number): string => {
    const own = { verdict: "deny", effective: "deny", rule: "deny", by: "@me/a@1.0.0#one", reason: `reason ${at}` };
    const about = { time: "2026-01-31T12:01:00.000Z", runtime: "codex", phase: "pre-tool", tool: "Bash", policies: [] };
    return `${JSON.stringify({ ...about, ...own, ms: 1, hash: `${at}`.padStart(64, "0") })}\n`;
  };
  const calls = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, at) => call(from + at)).join("");
  // The kinds of the first file come again behind as many others as are told apart.
  const journal = journalOf([calls(0, 1_500) + calls(0, 1_000), calls(1_000, 2_900) + calls(0, 200)]);
  const [one, two] = [await count(journal, NEVER), await count(journal, 0)];
  expect(two).toEqual({ found: one.found, threads: availableParallelism() > 1 ? 1 : 0 });
  expect(one.found).toContain('"kind": "other kinds"');
});
