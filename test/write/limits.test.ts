import { expect, test } from "vitest";
import { PLAN_VERSION, type PlannedPolicy } from "../../src/contract/plan.ts";
import type { AgentId } from "../../src/policy/event.ts";
import { findUnsupportedDecisions } from "../../src/write/limits.ts";
import { someApproval, someGrant } from "../support/grants.ts";
import { somePlanned } from "../support/policies.ts";
import { CARD } from "../support/projects.ts";

const approval = someApproval({});

function lossesOf(policies: PlannedPolicy[], runtimes: AgentId[], allowed: string[] | null = null) {
  const grant = someGrant({ card: CARD, runtimes: allowed });
  return findUnsupportedDecisions({
    plan: { version: PLAN_VERSION, project: "/p", policies },
    agents: runtimes.map((runtime) => ({ runtime, file: "/f" })),
    activations: [{ card: CARD, locked: null, grant, activation: { state: "active", approval } }],
  }).flatMap(({ runtime, lost }) => lost.map((text) => `${runtime}: ${text}`));
}

test("Claude Code carries everything", () => {
  expect(lossesOf([somePlanned({ phases: ["pre-tool", "post-tool"] })], ["claude-code"])).toEqual([]);
});

test("Codex cannot ask, and does not tell of calls that fail", () => {
  expect(lossesOf([somePlanned({ phases: ["pre-tool", "post-tool"] })], ["claude-code", "codex"])).toEqual([
    "codex: an ask falls through to allow, or becomes a deny if its call can't be undone",
    "codex: a failed call is not reported",
  ]);
});

test.each([
  ["deny", "becomes a deny"],
  ["allow", "falls through to allow"],
] as const)("where the consent says %s, an ask %s", (askFallback, comesTo) => {
  expect(lossesOf([somePlanned({ askFallback })], ["codex"])).toEqual([`codex: an ask ${comesTo}`]);
});

test("of an observer only what comes after a call can be lost", () => {
  expect(lossesOf([somePlanned({ kind: "observer" })], ["codex"])).toEqual([]);
});

test("where a card does not run nothing of it is lost", () => {
  expect(lossesOf([somePlanned()], ["codex"], ["claude-code"])).toEqual([]);
});
