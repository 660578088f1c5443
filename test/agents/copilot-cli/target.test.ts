import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { checkCopilot, copilotCliTarget } from "../../../src/agents/copilot-cli/target.ts";
import { applyChanges } from "../../../src/wiring/changes.ts";
import type { JsonOriginal } from "../../../src/wiring/json-file.ts";
import type { PolicyTrigger } from "../../../src/wiring/target.ts";
import { write } from "../../support/armed-home.ts";
import { temporaryFolder } from "../../support/cards.ts";

const BOTH: PolicyTrigger[] = [{ matcher: "Bash", phases: ["pre-tool", "post-tool"] }];

/** A home, and what is remembered of its files. */
function machine(env: Record<string, string> = {}) {
  const home = temporaryFolder();
  const host = { cwd: "/p", home, env, drwnHome: path.join(home, ".agents/drwn") };
  const origins = new Map<string, JsonOriginal>();
  return (own: PolicyTrigger[]) => {
    const request = { host, root: "/p", wiring: "user", own, others: [], shared: "keep" } as const;
    const planned = copilotCliTarget.planHooks({ ...request, originalOf: (file) => origins.get(file) });
    for (const [file, origin] of planned.originals) origins.set(file, origin);
    applyChanges(planned.changes);
    return planned.file;
  };
}

test("the hook has a file of its own, which is gone when nothing is wanted", () => {
  const plan = machine();
  const file = plan(BOTH);
  expect(file).toMatch(/\.copilot\/hooks\/drwn\.json$/u);
  const { version, hooks } = JSON.parse(fs.readFileSync(file, "utf8"));
  expect(version).toBe(1);
  expect(Object.keys(hooks)).toEqual(["preToolUse", "postToolUse", "postToolUseFailure"]);
  expect(hooks.preToolUse).toEqual([
    { type: "command", bash: expect.stringContaining("copilot-cli pre"), timeoutSec: 60 },
  ]);
  plan([]);
  expect(fs.existsSync(file)).toBe(false);
});

test.each([
  '{"version": 1, "hooks": {"preToolUse": []}}',
  '{\n  "hooks": {},\n  "note": 1\n}\n',
  "{}",
  '{"version": 2}\n',
])("a file of others gets its version back as it was: %s", (original) => {
  const plan = machine();
  const file = plan([]);
  write(file, original);
  for (const round of [1, 2]) {
    plan(BOTH);
    expect([round, JSON.parse(fs.readFileSync(file, "utf8")).version]).not.toEqual([round, undefined]);
    plan([]);
    expect([round, fs.readFileSync(file, "utf8")]).toEqual([round, original]);
  }
});

test("a version that somebody adds later is not taken for ours", () => {
  const plan = machine();
  const file = plan([]);
  write(file, "{}");
  plan(BOTH);
  plan([]);
  write(file, '{"version":1}');
  plan(BOTH);
  plan([]);
  expect(fs.readFileSync(file, "utf8")).toBe('{"version":1}');
});

test("COPILOT_HOME moves it", () => {
  const folder = temporaryFolder();
  expect(machine({ COPILOT_HOME: folder })(BOTH)).toBe(path.join(folder, "hooks", "drwn.json"));
});

test.each<[string, Record<string, string>, string[]]>([
  ["nothing", {}, []],
  [
    "a project that switches hooks off",
    { ".github/copilot/settings.json": '{"disableAllHooks":true}' },
    ["hooks-disabled"],
  ],
  ["settings of Claude Code that do", { ".claude/settings.json": '{"disableAllHooks":true}' }, ["hooks-disabled"]],
  ["settings that do not", { ".claude/settings.local.json": '{"disableAllHooks":false}' }, []],
  ["settings that cannot be read", { ".github/copilot/settings.json": "{" }, ["settings-unreadable"]],
  ["a word twice", { ".claude/settings.json": '{"disableAllHooks":true,"a":1,"a":2}' }, ["settings-unreadable"]],
])("%s: what doctor says", async (_, files, codes) => {
  const root = temporaryFolder();
  for (const [name, text] of Object.entries(files)) write(path.join(root, name), text);
  const host = { cwd: "/p", home: root, env: {}, drwnHome: path.join(root, "drwn") };
  const findings = await copilotCliTarget.check({ host, root, file: path.join(root, "drwn.json") });
  expect(findings.map(({ code, severity }) => [code, severity])).toEqual(codes.map((code) => [code, "error"]));
});

test.each([
  ["allows the owner's hooks alone", { allowManagedHooksOnly: true }, ["hooks-managed"]],
  ["locks everything", { strictPluginOnlyCustomization: true }, ["hooks-managed"]],
  ["locks hooks", { strictPluginOnlyCustomization: ["skills", "hooks"] }, ["hooks-managed"]],
  ["locks other things", { strictPluginOnlyCustomization: ["mcp"] }, []],
  ["has a word that means nothing there", { disableAllHooks: true }, []],
])("a machine whose owner %s: what doctor says", (_, settings, codes) => {
  const root = temporaryFolder();
  const managed = path.join(root, "managed-settings.json");
  write(managed, JSON.stringify(settings));
  const host = { cwd: "/p", home: root, env: {}, drwnHome: path.join(root, "drwn") };
  const findings = checkCopilot({ host, root, file: path.join(root, "drwn.json") }, managed);
  expect(findings.map(({ code, subject }) => [code, subject])).toEqual(codes.map((code) => [code, managed]));
});

test("a hook that a person turned off in Copilot CLI is named", () => {
  const plan = machine();
  const file = plan(BOTH);
  const settings = path.join(path.dirname(file), "..", "settings.json");
  const keyOf = (event: string) => {
    const [{ type, bash, timeoutSec, matcher }] = JSON.parse(fs.readFileSync(file, "utf8")).hooks[event];
    const action = JSON.stringify({ type, bash, timeoutSec, matcher });
    return createHash("sha256").update(`${event}\0${action}`).digest("hex");
  };
  write(settings, JSON.stringify({ disabledHooks: ["other", keyOf("preToolUse")] }));
  const found = () =>
    checkCopilot({ host: { cwd: "/p", home: "/", env: {}, drwnHome: "/d" }, root: "/p", file }, "/none").map(
      ({ subject, message }) => [subject, message.split("drwn's hook ")[1]],
    );
  expect(found()).toEqual([[settings, "(preToolUse)"]]);
});
