import { expect, test } from "vitest";
import { wantedEvents } from "../../../src/agents/claude-code/read-settings.ts";
import { AGENT_TIMEOUT_SECONDS, type PolicyTrigger } from "../../../src/wiring/target.ts";

const pre = (matcher: string | null): PolicyTrigger => ({ matcher, phases: ["pre-tool"] });
const post = (matcher: string | null): PolicyTrigger => ({ matcher, phases: ["post-tool"] });

test.each([["Bash"], ["mcp__*"], [null]])(
  "the agent is asked for the calls of every tool and the shell lines of skills, whatever %j wants",
  (matcher) => {
    expect(wantedEvents([pre(matcher), pre("Edit")])).toEqual([
      { event: "PreToolUse", phase: "pre" },
      { event: "PreSkillShellCommand", phase: "pre" },
    ]);
  },
);

test("only the phases that some policy wants are asked for", () => {
  expect(wantedEvents([])).toEqual([]);
  expect(wantedEvents([post("Edit")])).toEqual([
    { event: "PostToolUse", phase: "post" },
    { event: "PostToolUseFailure", phase: "post" },
  ]);
});

test("the agent waits longer than all policies together may take", () => {
  expect(AGENT_TIMEOUT_SECONDS).toBe(60);
});
