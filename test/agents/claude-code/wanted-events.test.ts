import fc from "fast-check";
import { expect, test } from "vitest";
import { wantedEvents } from "../../../src/agents/claude-code/wanted-events.ts";
import { compileMatcher } from "../../../src/card/matcher.ts";
import { AGENT_TIMEOUT_SECONDS, type WantingPolicy } from "../../../src/wiring/wanted.ts";

const pre = (matcher: string | null): WantingPolicy => ({ matcher, phases: ["pre-tool"] });
const post = (matcher: string | null): WantingPolicy => ({ matcher, phases: ["post-tool"] });

const MATCHERS: [string, (string | null)[], string | null][] = [
  ["one name", ["Bash"], "Bash"],
  ["two policies", ["Edit", "Bash"], "Bash|Edit"],
  ["the same twice", ["Bash", "Bash"], "Bash"],
  ["alternatives", ["{Write,Edit}", "Read|Bash"], "Bash|Edit|Read|Write"],
  ["an MCP tool, also by Copilot's name", ["mcp__files-x__read"], "files-x-read|mcp__files-x__read"],
  ["an MCP tool with more underscores", ["mcp__a__b__c"], "a-b__c|a__b-c|mcp__a__b__c"],
  ["Write, for which Copilot CLI says Edit", ["Write"], "Edit|Write"],
  ["none", [null], null],
  ["one of them none", ["Bash", null], null],
  ["a star", ["mcp__*"], null],
  ["one of them a star", ["Bash", "B*"], null],
  ["a question mark", ["Bas?"], null],
  ["a dot, which the agent would take for any character", ["a.b"], null],
];

test.each(MATCHERS)("of %s the agent is asked for exactly these tools, or for every one", (_, matchers, expected) => {
  expect(wantedEvents(matchers.map(pre))).toEqual([{ event: "PreToolUse", phase: "pre", matcher: expected }]);
});

test("only the phases that some policy wants are asked for", () => {
  expect(wantedEvents([])).toEqual([]);
  const both: WantingPolicy = { matcher: "Read", phases: ["pre-tool", "post-tool"] };
  expect(wantedEvents([pre("Bash"), post("Edit"), both])).toEqual([
    { event: "PreToolUse", phase: "pre", matcher: "Bash|Read" },
    { event: "PostToolUse", phase: "post", matcher: "Edit|Read" },
    { event: "PostToolUseFailure", phase: "post", matcher: "Edit|Read" },
  ]);
});

test("no tool that a policy matches is left out", () => {
  const part = fc.constantFrom("Bash", "Edit", "mcp__a__b", "B*", "?ash", "{Read,Write}", "a.b", "mcp__*__b");
  const tool = fc.constantFrom("Bash", "Edit", "Read", "Write", "mcp__a__b", "mcp__x__b", "a.b", "axb", "cash");
  fc.assert(
    fc.property(fc.array(fc.option(part), { minLength: 1, maxLength: 4 }), tool, (matchers, name) => {
      const [entry] = wantedEvents(matchers.map(pre));
      const isWanted = matchers.some(
        (matcher) => matcher === null || new RegExp(compileMatcher(matcher), "u").test(name),
      );
      const isAskedFor = entry?.matcher === null || entry?.matcher.split("|").includes(name) === true;
      expect(isAskedFor || !isWanted).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("the agent waits longer than all policies together may take", () => {
  expect(AGENT_TIMEOUT_SECONDS).toBe(60);
});
