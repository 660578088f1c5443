import fc from "fast-check";
import { expect, test } from "vitest";
import { parseLine } from "../../src/journal/line.ts";
import { LineReader } from "../../src/journal/line-reader.ts";
import { splitLines } from "../../src/journal/segments.ts";
import { newJournal } from "../support/journals.ts";

/** Lines as the hook process writes them. */
function ownLines(): string[] {
  const journal = newJournal();
  const [guard, look] = ["@me/backend@1.0.0#guard", "@me/tidy@1.0.0#look"];
  const denied = { verdict: "deny", effective: "deny" };
  const ruling = { rule: "deny", by: guard, reason: 'no "rm" — ever', context: 3, updatedInput: '{"a":1}' } as const;
  const call = { digest: "0".repeat(64), folder: "/home/me", session: "s1" };
  journal.begin()();
  journal.begin({ tool: null, phase: "session-start", session: "s1" })({ problem: "a plan that is damaged" });
  journal.begin({ callId: "toolu_1", session: "s1" })({}, [{ policy: guard }, { policy: look, kind: "observer" }]);
  journal.begin({ callId: "toolu_2", session: "s1", input: '{"command":"rm \\\\\\"a\\\\\\" ü"}' })(
    { ...denied, ruling: { ...ruling, call } },
    [
      { policy: guard, answer: { action: "deny" } },
      { policy: look, answer: { action: "failure", reason: 'a "}],' } },
    ],
  );
  journal.begin({ tool: 'odd "tool"', input: "{}" })(denied, [{ policy: guard, isApplied: false }]);
  return journal.lines();
}

/** What a line may be cut at, or be mixed with, so that it is nearly one. */
const SPICES = [
  ...['"', "\\", '\\"', ",", "}", "]", "],", "{", "[", "\u0000", "\u2028", "é", "01", "1e9", ".5", "null", "true"],
  ...[
    '"time":"x",',
    '"hash":"x",',
    ',"ms":1',
    ',"ms":1,"at":0,"prev":"","hash":""}',
    '"policies":[],',
    ',"policies":[',
  ],
  ...["\\u00e9", "\\u12", "\\x", '"session":"\\u0000 1",', ' "ms":1', '"ms":7e0,', '"other":[1,{"ms":2}],'],
  ...['"__proto__":{"ms":1},', '"runtime":"x",', ',"input":"x"', ',"applied":true}', '"tool":7,', " ", "\t"],
];

test("is the same as `parseLine`, for lines of the hook process and for lines that are nearly such", () => {
  const own = ownLines();
  const line = fc.constantFrom(...own);
  const place = fc.nat(900);
  const change = fc.tuple(place, fc.nat(12), fc.oneof(fc.constantFrom(...SPICES), fc.string({ maxLength: 3 })));
  const mixed = fc
    .tuple(line, place, line, place)
    .map(([one, to, other, from]) => one.slice(0, to) + other.slice(from));
  const spiced = fc.tuple(fc.oneof(line, mixed), fc.array(change, { maxLength: 3 })).map(([text, changes]) => {
    return changes.reduce((now, [at, cut, spice]) => {
      const to = at % (now.length + 1);
      return now.slice(0, to) + spice + now.slice(to + cut);
    }, text);
  });
  const reader = new LineReader();
  const wrongByte = fc.option(fc.tuple(place, fc.nat(255)));
  fc.assert(
    fc.property(fc.array(fc.oneof(line, spiced), { minLength: 1, maxLength: 3 }), wrongByte, (texts, wrong) => {
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
      if (wrong !== null) bytes[wrong[0] % bytes.length] = wrong[1];
      const expected = splitLines(bytes).flatMap(({ text }) => parseLine(text) ?? []);
      // As text, since that has an order.
      expect(JSON.stringify([...reader.read(bytes)])).toBe(JSON.stringify(expected));
    }),
    { numRuns: 2_000 },
  );
  // What it parsed once, it has parsed of the hook process's lines.
  const third = Buffer.from(`${own[2]}\n`.repeat(2));
  const [one, other] = [...reader.read(third)].map(({ policies: [first] }) => first);
  expect(one).toBeDefined();
  expect(one).toBe(other);
});
