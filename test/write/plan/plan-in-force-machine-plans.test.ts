import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { PLAN_VERSION } from "../../../src/contract/plan.ts";
import { digestOf } from "../../../src/kernel/digest.ts";
import { formatJson } from "../../../src/kernel/format/json.ts";
import type { AgentId } from "../../../src/policy/event.ts";
import { newLedger, writeLedger } from "../../../src/trust/ledger-file.ts";
import { writeMarkers } from "../../../src/trust/project-key.ts";
import type { PolicyTrigger } from "../../../src/wiring/target.ts";
import type { WriteRecord } from "../../../src/wiring/write-record.ts";
import { EVERY_CALL, otherPolicies } from "../../../src/write/plan/plan-in-force.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

const [MINE, OTHER] = ["aa".repeat(32), "bb".repeat(32)];
const IDENTITY = { path: "/p", gitCommonDir: null, gitPath: null, inode: null };
const EDIT: PolicyTrigger = { matcher: "Edit", phases: ["post-tool"] };

/** A machine with one other project that has these policies. */
function machine(policies: readonly PolicyTrigger[] | null, wiring: WriteRecord["wiring"] = "user"): string {
  const home = temporaryFolder();
  const text = formatJson({ version: PLAN_VERSION, project: "/p", policies });
  const plan = policies === null ? null : digestOf(text);
  if (plan !== null) writeTree(home, { [path.relative(home, layout.plan(home, OTHER, plan))]: text });
  const written: WriteRecord = { version: 2, wiring, runtimes: ["claude-code"], skills: {}, servers: {} };
  writeTree(home, { [path.relative(home, layout.written(home, OTHER))]: formatJson(written) });
  writeLedger(home, OTHER, { ...newLedger(IDENTITY), plan });
  return home;
}

function othersOf(home: string, exceptKey: string, runtime: AgentId = "claude-code"): PolicyTrigger[] {
  return otherPolicies(home, exceptKey)(runtime);
}

function planOf(home: string): string {
  const folder = layout.project(home, OTHER);
  return path.join(folder, fs.readdirSync(folder).find((name) => name.startsWith("plan-")) ?? "none");
}

test("a machine without other projects needs nothing", () => {
  expect(othersOf(temporaryFolder(), MINE)).toEqual([]);
});

test("what other projects need is read from their plans; one's own is left out", () => {
  const home = machine([EDIT]);
  expect(othersOf(home, MINE)).toEqual([EDIT]);
  expect(othersOf(home, OTHER)).toEqual([]);
});

test("what a project with a large plan needs is read from its table of contents", () => {
  const home = temporaryFolder();
  const shard = (tool: string | null, matcher: string | null) => ({ phase: "pre-tool", tool, match: null, matcher });
  const text = formatJson({
    version: PLAN_VERSION,
    project: "/p",
    cards: [],
    shards: [shard("Bash", null), shard(null, "mcp__*"), shard(null, null)],
  });
  writeTree(home, { [path.relative(home, layout.plan(home, OTHER, digestOf(text)))]: text });
  const written: WriteRecord = { version: 2, wiring: "user", runtimes: ["claude-code"], skills: {}, servers: {} };
  writeTree(home, { [path.relative(home, layout.written(home, OTHER))]: formatJson(written) });
  writeLedger(home, OTHER, { ...newLedger(IDENTITY), plan: digestOf(text) });
  expect(othersOf(home, MINE)).toEqual(["Bash", "mcp__*", null].map((matcher) => ({ matcher, phases: ["pre-tool"] })));
});

test("a project without a plan, or wired in its own settings, needs nothing of the user's", () => {
  expect(othersOf(machine(null), MINE)).toEqual([]);
  expect(othersOf(machine([EDIT], "project"), MINE)).toEqual([]);
});

const SPOILED: [string, (home: string) => void][] = [
  ["plan is gone", (home) => fs.rmSync(planOf(home))],
  ["plan is cut off", (home) => fs.truncateSync(planOf(home), 10)],
  ["plan was altered and is still a plan", (home) => fs.writeFileSync(planOf(home), formatJson({ policies: [] }))],
  ["ledger is damaged", (home) => fs.writeFileSync(layout.ledger(home, OTHER), "{}")],
  ["ledger can be changed by others", (home) => fs.chmodSync(layout.ledger(home, OTHER), 0o666)],
  ["ledger is a link", (home) => linkAside(layout.ledger(home, OTHER))],
  ["ledger is gone, and its marker is not", (home) => loseLedger(home)],
  ["record of what was written is damaged", (home) => fs.writeFileSync(layout.written(home, OTHER), "[")],
];

function linkAside(file: string): void {
  fs.renameSync(file, `${file}.aside`);
  fs.symlinkSync(`${file}.aside`, file);
}

function loseLedger(home: string): void {
  writeMarkers(home, IDENTITY, OTHER);
  fs.rmSync(layout.ledger(home, OTHER));
}

test.each(SPOILED)("a project whose %s needs every call", (_, spoil) => {
  const home = machine([EDIT]);
  spoil(home);
  expect(othersOf(home, MINE)).toEqual([EVERY_CALL]);
});

test("such a project needs every lifecycle event that can be held", () => {
  const phases = ["prompt.submit", "prompt.expand", "model.before", "approval.before", "compact.before", "turn.stop"];
  expect(EVERY_CALL.matcher).toBeNull();
  expect(EVERY_CALL.phases).toEqual(expect.arrayContaining(["pre-tool", ...phases]));
  expect(EVERY_CALL.phases).not.toContain("session.start");
});

test("files that are no ledger are passed over", () => {
  const home = machine([EDIT]);
  writeTree(layout.ledgers(home), { ".drwn-tmp-1-ab": "{", "notes.txt": "x", ".hidden.json": "{" });
  expect(othersOf(home, MINE)).toEqual([EDIT]);
});

test("a project that is not guarded in an agent needs nothing of it", () => {
  expect(othersOf(machine([EDIT]), MINE, "codex")).toEqual([]);
});

test("a project whose record of agents is gone may be guarded in any", () => {
  const home = machine([EDIT]);
  fs.rmSync(layout.written(home, OTHER));
  expect(othersOf(home, MINE, "codex")).toEqual([EDIT]);
});
