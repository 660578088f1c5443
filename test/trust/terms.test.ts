import { expect, test } from "vitest";
import { DEFAULT_TERMS, type Terms } from "../../src/contract/ledger.ts";
import { decideTerms, parseExpiry, type RequestedTerms } from "../../src/trust/terms.ts";
import { problemOf } from "../support/problems.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const offered = ["a", "b", "c"];
const decide = (asked: RequestedTerms, former?: Terms) => decideTerms({ asked, former, card: "@me/x", offered, now });

const LIMITED: Terms = {
  mode: "restrict-only",
  hooks: ["b"],
  askFallback: "deny",
  expiresAt: "2026-04-01T00:00:00.000Z",
  onYank: "stand-down",
  runtimes: ["codex"],
};

const CASES: [string, RequestedTerms, Terms | undefined, Partial<Terms>][] = [
  ["at first, nothing said is the default", {}, undefined, DEFAULT_TERMS],
  ["again, nothing said keeps everything that was said before", {}, LIMITED, LIMITED],
  ["a mode is taken as it is said", { mode: "enforce" }, LIMITED, { ...LIMITED, mode: "enforce" }],
  ["hooks come in the card's order", { hooks: ["c", "a"] }, undefined, { hooks: ["a", "c"] }],
  ["all hooks again", { hooks: null }, LIMITED, { hooks: null }],
  ["an end can be taken away", { expires: "never" }, LIMITED, { expiresAt: null }],
  [
    "an end that has passed is not kept",
    {},
    { ...LIMITED, expiresAt: "2026-03-01T12:00:00.000Z" },
    { expiresAt: null },
  ],
  ["what a yank means can be said again", { onYank: "keep" }, LIMITED, { onYank: "keep" }],
  [
    "the agents can be named",
    { runtimes: ["codex", "claude-code", "codex"] },
    LIMITED,
    { runtimes: ["claude-code", "codex"] },
  ],
  ["all agents can be named again", { runtimes: null }, LIMITED, { runtimes: null }],
  ["so can what an ask comes to", { askFallback: "allow" }, LIMITED, { askFallback: "allow" }],
];

test.each(CASES)("of the terms, %s", (_, asked, former, expected) => {
  expect(decide(asked, former)).toMatchObject(expected);
});

test.each([[["d"]], [["a", "d"]], [[]], [["toString"]]])(
  "a consent to the hooks %j of a card that lacks one is refused",
  async (hooks) => {
    const problem = await problemOf(() => decide({ hooks }));
    expect(problem.code).toBe("DRWN_HOOK_MISSING");
    expect(problem.details).toEqual(["it has: a, b, c"]);
  },
);

test("where the hooks of a former consent are gone, nobody guesses what is meant", async () => {
  expect((await problemOf(() => decide({}, { ...LIMITED, hooks: ["gone"] }))).hint).toContain("--all-hooks");
});

test.each([
  ["12h", "2026-03-02T00:00:00.000Z"],
  ["30d", "2026-03-31T12:00:00.000Z"],
  ["2w", "2026-03-15T12:00:00.000Z"],
  ["2026-03-02", "2026-03-02T00:00:00.000Z"],
  ["2028-02-29", "2028-02-29T00:00:00.000Z"],
])("a consent for %s ends at %s", (text, end) => {
  expect(parseExpiry(text, now)).toBe(end);
});

test.each([
  "",
  "0d",
  "-1d",
  "30",
  "d",
  "1.5d",
  "30 d",
  "1y",
  "2026-03-01",
  "2027-02-29",
  "2027-13-01",
  "99999d",
  "3e3d",
])("`%s` doesn't say when a consent ends", async (text) => {
  expect((await problemOf(() => parseExpiry(text, now))).code).toBe("DRWN_EXPIRY_INVALID");
});
