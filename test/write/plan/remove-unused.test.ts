import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import type { Grant, Ledger } from "../../../src/contract/ledger.ts";
import type { Plan, PlannedPolicy } from "../../../src/contract/plan.ts";
import { newLedger } from "../../../src/trust/ledger-file.ts";
import { sweepState } from "../../../src/write/plan/remove-unused.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { OUTSIDE_GIT, someApproval, someGrant } from "../../support/grants.ts";
import { leftoverName } from "../../support/leftovers.ts";

const KEY = "ab".repeat(32);
const HOUR = 60 * 60 * 1000;
const START = Date.parse("2026-03-01T12:00:00.000Z");

function machine(): string {
  const home = temporaryFolder();
  writeTree(layout.project(home, KEY), {
    "plan-now.json": "",
    "plan-old.json": "",
    "bundles/planned.cjs": "",
    "bundles/approved.cjs": "",
    "bundles/revoked.cjs": "",
    "bundles/unknown.cjs": "",
    "journal.jsonl": "",
    "written.json": "",
  });
  return home;
}

const grant = (bundle: string, revokedAt: string | null): Grant =>
  someGrant({ card: bundle, revokedAt, approved: [someApproval({ bundles: { guard: bundle }, hooks: [] })] });

const LEDGER: Ledger = {
  ...newLedger(OUTSIDE_GIT),
  plan: "now",
  grants: [grant("approved", null), grant("revoked", "2026-03-01T12:00:00.000Z")],
};
const PLAN: Plan = { version: 2, project: "/p", policies: [{ bundle: "planned" } as PlannedPolicy] };

function sweepAt(
  home: string,
  hours: number,
  parts: { plan?: Plan; shards?: string[]; ledger?: Ledger | undefined } = {},
): string[] {
  sweepState({ home, key: KEY, plan: PLAN, shards: [], ledger: LEDGER, now: new Date(START + hours * HOUR), ...parts });
  const names = fs.readdirSync(layout.project(home, KEY), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name !== "bundles").sort();
}

const ALL = [
  "bundles/approved.cjs",
  "bundles/planned.cjs",
  "bundles/revoked.cjs",
  "bundles/unknown.cjs",
  "journal.jsonl",
  "plan-now.json",
  "plan-old.json",
  "written.json",
];
const LIVE = ALL.filter((name) => !/revoked|unknown|old/u.test(name));

test("what nothing names any more goes a day after it was first seen so, and nothing else ever does", () => {
  const home = machine();
  expect(sweepAt(home, 0)).toEqual(ALL);
  expect(sweepAt(home, 23)).toEqual(ALL);
  expect(sweepAt(home, 25)).toEqual(LIVE);
  expect(sweepAt(home, 1_000)).toEqual(LIVE);
});

test("what is named again within the day starts anew, with the mode it had", () => {
  const home = machine();
  const file = path.join(layout.project(home, KEY), "plan-old.json");
  const { mode } = fs.statSync(file);
  sweepAt(home, 0);
  expect(fs.statSync(file).mode).not.toBe(mode);
  expect(sweepAt(home, 20, { ledger: { ...LEDGER, plan: "old" } })).toContain("plan-old.json");
  expect(fs.statSync(file).mode).toBe(mode);
  sweepAt(home, 30);
  expect(sweepAt(home, 50)).toContain("plan-old.json");
  expect(sweepAt(home, 55)).not.toContain("plan-old.json");
});

test("a part of a plan stays as long as the plan names it", () => {
  const home = machine();
  writeTree(home, { [path.relative(home, layout.shard(home, KEY, "part"))]: "" });
  expect(sweepAt(home, 0, { shards: ["part"] })).toContain("shards/part.cjs");
  expect(sweepAt(home, 50, { shards: ["part"] })).toContain("shards/part.cjs");
  sweepAt(home, 60);
  expect(sweepAt(home, 85)).not.toContain("shards/part.cjs");
});

test("what killed processes left behind goes, and a machine without state is no failure", () => {
  const home = machine();
  writeTree(home, { [`bin/${leftoverName()}`]: "", [`ledger/${leftoverName()}`]: "", "bin/hook": "" });
  sweepAt(home, 0);
  expect([fs.readdirSync(path.join(home, "bin")), fs.readdirSync(layout.ledgers(home))]).toEqual([["hook"], []]);
  expect(() =>
    sweepState({
      home: temporaryFolder(),
      key: KEY,
      plan: PLAN,
      shards: [],
      ledger: undefined,
      now: new Date(START),
    }),
  ).not.toThrow();
});

test("an event that a killed hook has left behind is removed, one that is on its way is not", () => {
  const home = machine();
  const [left, going] = ["event-12", "event-13"].map((name) => path.join(layout.project(home, KEY), name));
  for (const file of [left, going]) fs.writeFileSync(file ?? "", "{}");
  fs.utimesSync(left ?? "", new Date(START - HOUR), new Date(START - HOUR));
  fs.utimesSync(going ?? "", new Date(START), new Date(START));
  expect(sweepAt(home, 0)).toEqual([...ALL, "event-13"].sort());
});
