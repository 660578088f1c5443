import { expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { LEDGER_VERSION, type Ledger } from "../../../src/contract/ledger.ts";
import { PLAN_VERSION, type PlannedPolicy } from "../../../src/contract/plan.ts";
import { findDroppedGuards } from "../../../src/write/plan/plan-in-force.ts";
import { write } from "../../support/armed-home.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { OUTSIDE_GIT, someApproval, someFacts, someGrant } from "../../support/grants.ts";
import { somePlanned } from "../../support/policies.ts";

const KEY = "a".repeat(64);
const DIGEST = `sha256-${"b".repeat(64)}`;
const FACTS = someFacts({ phases: ["pre-tool", "prompt.submit"] });

/** What is dropped of `@me/backend@1.0.0#guard` by a plan that has this in its place. */
function droppedBy(next: readonly PlannedPolicy[], facts = FACTS): string[] {
  const home = temporaryFolder();
  const inForce = somePlanned(facts);
  const plan = { version: PLAN_VERSION, project: "/p" } as const;
  write(layout.plan(home, KEY, DIGEST), JSON.stringify({ ...plan, policies: [inForce] }));
  const approved = [someApproval({ cardVersion: "1.0.0", hooks: [{ name: "guard", ...facts }] })];
  const ledger: Ledger = {
    version: LEDGER_VERSION,
    sequence: 1,
    project: { ...OUTSIDE_GIT, path: "/p" },
    plan: DIGEST,
    pausedUntil: null,
    grants: [someGrant({ card: "@me/backend", approved })],
  };
  return findDroppedGuards({ home, key: KEY, ledger, next: { ...plan, policies: [...next] } });
}

test.each<[string, PlannedPolicy[]]>([
  ["nothing", []],
  ["another hook", [somePlanned({ ...FACTS, hook: "other" })]],
  ["the same hook of another card", [somePlanned({ ...FACTS, card: "@me/other" })]],
  ["an observer", [somePlanned({ ...FACTS, kind: "observer" })]],
  ["an earlier version", [somePlanned({ ...FACTS, cardVersion: "0.9.0" })]],
  ["a phase less", [somePlanned({ ...FACTS, phases: ["pre-tool"] })]],
  ["as many phases, and others", [somePlanned({ ...FACTS, phases: ["pre-tool", "post-tool"] })]],
])("a plan that has %s in place of a guard drops it", (_, next) => {
  expect(droppedBy(next)).toEqual(["@me/backend@1.0.0#guard"]);
});

test("the same guard, a later version, and one that is asked more often drop nothing", () => {
  expect(droppedBy([somePlanned(FACTS)])).toEqual([]);
  expect(droppedBy([somePlanned({ ...FACTS, cardVersion: "1.0.1" })])).toEqual([]);
  expect(droppedBy([somePlanned({ ...FACTS, phases: [...FACTS.phases, "post-tool"] })])).toEqual([]);
});

test("an observer is no guard that could be dropped", () => {
  expect(droppedBy([], { ...FACTS, kind: "observer" })).toEqual([]);
});
