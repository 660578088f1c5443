import { describe, expect, test } from "vitest";
import { allAdapters, findLifecycleAdapter } from "../../src/agents/adapters.ts";
import { armHome, type LiteralPolicy } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";
import { sweep } from "../support/sweep.ts";

const EVENT = `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`;
const around = (value: string) => `{"tool_name":"Bash","tool_input":{"command":${value}}}`;

/** Values that JSON doesn't have. */
const NO_VALUES = [
  ...[
    "NaN",
    "-NaN",
    "Infinity",
    "-Infinity",
    "nan",
    "inf",
    "undefined",
    "True",
    "nul",
    "nulll",
    "'ls'",
    "`ls`",
    "ls",
    "",
  ],
  ...["+1", "01", "-01", "1.", ".1", "-.1", "1e", "1e+", "1.e1", "0x1", "0b1", "1_000", "1n", "--1", "１"],
  ...[`"`, `"\\"`, `"\\x00"`, `"\\u12"`, `"\\u{41}"`, `"\\'"`, `"\\a"`, `"\t"`, `"\n"`, `"\u0000"`, `"\u001f"`],
  ...[
    "[1,]",
    "[,1]",
    "[1,,2]",
    "[1 2]",
    "[",
    "]",
    "[1",
    "[1}",
    "{a:1}",
    "{'a':1}",
    `{"a"}`,
    `{"a":}`,
    `{"a":1,}`,
    `{,"a":1}`,
  ],
  ...[
    `{"a" 1}`,
    `{"a"::1}`,
    `{"a":1 "b":2}`,
    `{1:1}`,
    "/* a */ 1",
    "1 // a",
    "1 # a",
    "<ls>",
    "\ufeff1",
    "\u00a01",
    "\u20281",
  ],
];

/** Bytes that aren't UTF-8, where the grammar has a token: they become another character, which isn't a token. */
const NO_BYTES = [0x80, 0xbf, 0xc0, 0xc1, 0xf5, 0xfe, 0xff].map((byte) =>
  Buffer.concat([Buffer.from(EVENT.slice(0, 1)), Buffer.from([byte]), Buffer.from(EVENT.slice(1))]),
);

const EVENTS: [name: string, input: string | Buffer][] = [
  ...NO_VALUES.map((value): [string, string] => [`has the value ${JSON.stringify(value)}`, around(value)]),
  ...NO_BYTES.map((input, place): [string, Buffer] => [`has bytes that are no text (${place})`, input]),
  ...Array.from({ length: EVENT.length - 1 }, (_, length): [string, string] => [
    `ends after ${length} bytes`,
    EVENT.slice(0, length),
  ]),
  ...["}", "{}", "null", ",", "x", "\u0000"].map((more): [string, string] => [
    `is followed by ${JSON.stringify(more)}`,
    EVENT + more,
  ]),
  ...["[", `{"a":`].map((open): [string, string] => [`opens ${open} a million times`, around(open.repeat(1_000_000))]),
  ["holds lists in lists, a hundred thousand deep", around("[".repeat(100_000) + "]".repeat(100_000))],
  ["holds objects in objects, a hundred thousand deep", around(`{"a":`.repeat(100_000) + 1 + "}".repeat(100_000))],
  ["is 17 MB of spaces", " ".repeat(17 * 1024 * 1024)],
  ["is 17 MB of one text", around(`"${"x".repeat(17 * 1024 * 1024)}"`)],
  ["is 17 MB of keys", around(`{${Array.from({ length: 1_700_000 }, (_, at) => `"k${at}":1`).join(",")}}`)],
];

const policy = "{ beforeToolCall() {} }";
const guarded = armHome([{ policy }]);
const observed = armHome([{ policy, kind: "observer" } satisfies LiteralPolicy]);

describe("the real hook", () => {
  test.each(sweep(EVENTS, 12))("blocks an event that %s, and is silent where nothing enforces", (_, input) => {
    const result = guarded.call({}, { input });
    expect(["deny", "block"]).toContain(verdictOf(result));
    expect(reasonOf(result)).toMatch(/^\[?drwn/u);
    expect(verdictOf(observed.call({}, { input }))).toBe("silence");
  });
});

/** One event for each way to be useless. */
const USELESS: [name: string, input: string | Buffer][] = [
  ["is empty", ""],
  ["is cut off", EVENT.slice(0, -1)],
  ["is null", "null"],
  ["is a list", `[${EVENT}]`],
  ["says nothing", "{}"],
  ["says nothing, a hundred thousand deep", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ["is 17 MB", `{"a":"${"x".repeat(17_000_000)}"}`],
  ["isn't text", Buffer.from([0xff, 0xfe, 0x00, 0x80])],
];
const HELD = "prompt.submit";
const asked = allAdapters().flatMap((adapter) =>
  (findLifecycleAdapter(adapter.runtime)?.powersAt(HELD)?.holds
    ? (["pre", HELD] as const)
    : (["pre"] as const)
  ).flatMap((phase) => USELESS.map(([name, input]) => ({ adapter, phase, name, input }))),
);

describe("in every agent", () => {
  const both = { policy: "{ beforeToolCall() {}, run() {} }", phases: ["pre-tool", HELD] } satisfies LiteralPolicy;
  const cases = asked.map((one) => [one.adapter.title, one.phase, one.name, one] as const);
  test.each(sweep(cases, 8))("%s, %s: an event that %s is blocked, in one document", (_, __, ___, one) => {
    const { adapter, phase, input } = one;
    const armed = armHome([both]);
    const { status, stdout, stderr } = armed.call({}, { runtime: adapter.runtime, phase, input });
    expect(armed.journal()).toMatchObject([{ runtime: adapter.runtime, verdict: "deny", effective: "deny" }]);
    // Each generation of Arawn reads the reason from another output.
    expect([status, stderr]).toEqual(adapter.runtime === "arawn" ? [2, stdout] : [0, ""]);
    expect(stdout).toContain("the event that the agent sent");
    if (stdout.startsWith("{")) expect(JSON.parse(stdout)).toBeTypeOf("object");
  });

  test.each(sweep(cases, 4))(
    "%s, %s: it is met with silence where a policy only observes and it %s",
    (_, __, ___, one) => {
      const { adapter, phase, input } = one;
      const armed = armHome([{ ...both, kind: "observer" }]);
      const { status, stdout } = armed.call({}, { runtime: adapter.runtime, phase, input });
      expect([status, stdout]).toEqual([0, ""]);
      expect(armed.journal()).toMatchObject([
        { effective: "allow", problem: expect.stringContaining("the agent sent") },
      ]);
    },
  );
});
