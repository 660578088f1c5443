import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { applyChanges } from "../../src/wiring/changes.ts";
import { isHookCommand } from "../../src/wiring/launcher.ts";
import type { PolicyTrigger } from "../../src/wiring/target.ts";
import { readSettingsRecord, type SettingsLevel } from "../../src/wiring/write-record.ts";
import { planWiring } from "../../src/write/plan-wiring.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";
import { testHost } from "../support/host.ts";

const PRE: PolicyTrigger = { matcher: "Bash", phases: ["pre-tool"] };
const BOTH: PolicyTrigger = { matcher: null, phases: ["pre-tool", "post-tool"] };

function machine() {
  const folder = temporaryFolder();
  const home = path.join(folder, "state");
  const root = path.join(folder, "project");
  const [user, own] = [path.join(folder, "user/settings.json"), path.join(root, ".claude/settings.local.json")];
  const host = { ...testHost(), home: folder, drwnHome: home, env: { CLAUDE_CONFIG_DIR: path.dirname(user) } };
  const plan = (policies: readonly PolicyTrigger[], wiring: SettingsLevel = "user") =>
    planWiring({ host, root, key: "aa", wiring, runtimes: ["claude-code"], former: [], policies, shared: "keep" });
  const write = (policies: readonly PolicyTrigger[], wiring: SettingsLevel = "user") => {
    const { records, settings } = plan(policies, wiring);
    applyChanges([...records, ...settings]);
  };
  return { folder, home, user, own, plan, write };
}

test("where nothing is wanted and nothing is there, nothing is done", () => {
  expect(machine().plan([])).toMatchObject({ records: [], settings: [] });
});

test("each event has an entry of ours: a call is blocked when it fails, and a result is not", () => {
  const { home, user, write } = machine();
  write([BOTH]);
  const { hooks } = JSON.parse(fs.readFileSync(user, "utf8"));
  expect(Object.keys(hooks)).toEqual(["PreToolUse", "PreSkillShellCommand", "PostToolUse", "PostToolUseFailure"]);
  for (const [event, groups] of Object.entries<{ matcher?: string; hooks: Record<string, unknown>[] }[]>(hooks)) {
    const [handler] = groups[0]?.hooks ?? [];
    expect(groups).toHaveLength(1);
    expect("matcher" in (groups[0] ?? {})).toBe(false);
    expect(handler).toMatchObject({ type: "command", timeout: 60 });
    expect(handler?.["onFailure"]).toBe(event.startsWith("Pre") ? "block" : undefined);
    expect(isHookCommand(String(handler?.["command"]), home)).toBe(true);
  }
});

test("the record of a change comes with it, and remembers every file", () => {
  const { home, user, own, plan, write } = machine();
  write([PRE]);
  const { records, settings } = plan([PRE], "project");
  expect(settings.map(({ path: file }) => file)).toEqual([user, own]);
  expect(records.map(({ path: file }) => file)).toEqual([layout.wiring(home)]);
  write([PRE], "project");
  expect(Object.keys(readSettingsRecord(home).files)).toEqual([user, own]);
  expect(plan([PRE], "project")).toMatchObject({ records: [], settings: [], agents: [{ file: own }] });
});

test("an entry that is wanted no more goes, also when the write that should take it out was killed before it did", () => {
  const { folder, user, plan, write } = machine();
  const text = '{"a": 1, "hooks": {"PreToolUse": [ ]}}';
  writeTree(folder, { "user/settings.json": text });
  write([PRE]);
  applyChanges(plan([]).records);
  write([]);
  expect(fs.readFileSync(user, "utf8")).toBe(text);
});

test("a write that was killed after its record and before the settings is done by the next one", () => {
  const { folder, user, plan, write } = machine();
  writeTree(folder, { "user/settings.json": "{}" });
  applyChanges(plan([PRE]).records);
  write([PRE]);
  expect(JSON.parse(fs.readFileSync(user, "utf8")).hooks.PreToolUse).toHaveLength(1);
  write([]);
  expect(fs.readFileSync(user, "utf8")).toBe("{}");
});

test("another project's policy neither narrows the one entry nor adds a second", () => {
  const { user, write } = machine();
  write([PRE]);
  write([PRE, { matcher: "Edit", phases: ["pre-tool"] }]);
  const { hooks } = JSON.parse(fs.readFileSync(user, "utf8"));
  expect(hooks.PreToolUse.map(({ matcher }: { matcher?: string }) => matcher)).toEqual([undefined]);
});
