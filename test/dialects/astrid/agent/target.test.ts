import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { astrid } from "../../../../src/dialects/astrid/adapter.ts";
import { astridTarget } from "../../../../src/dialects/astrid/agent/target.ts";
import { formatHook } from "../../../../src/dialects/astrid/hook/emit.ts";
import { discoverHooks } from "../../../../src/dialects/astrid/read/discover.ts";
import { AstridDispatcher } from "../../../../src/dialects/astrid/run/dispatcher.ts";
import { importPolicies } from "../../../../src/operations/author/import-policies.ts";
import { publishCard } from "../../../../src/operations/author/publish.ts";
import { addCards } from "../../../../src/operations/project/add.ts";
import { writeProject } from "../../../../src/operations/project/write.ts";
import { applyChanges } from "../../../../src/wiring/changes.ts";
import { sourceWith, temporaryFolder, writeTree } from "../../../support/cards.ts";
import { CARD, newProject, trust } from "../../../support/projects.ts";
import { handlerToml, hookToml, workspace } from "../world.ts";

test("the user's hooks of Astrid get a folder for each event that is wanted, and are as they were when nothing is", () => {
  const home = temporaryFolder();
  const request = {
    host: { cwd: "/p", home, env: {}, drwnHome: path.join(home, ".agents/drwn") },
    root: temporaryFolder(),
    wiring: "user" as const,
    others: [],
    shared: "keep" as const,
    originalOf: () => undefined,
  };
  writeTree(home, { ".astrid/hooks/mine/HOOK.toml": hookToml("", { name: "mine" }) });
  const list = () => fs.readdirSync(path.join(home, ".astrid/hooks"));
  const plan = (phases: ("pre-tool" | "post-tool")[]) =>
    astridTarget.planHooks({ ...request, own: phases.length === 0 ? [] : [{ matcher: null, phases }] });
  applyChanges(plan(["pre-tool", "post-tool"]).changes);
  expect(list()).toEqual(["drwn-post-tool-call", "drwn-pre-tool-call", "drwn-tool-error", "mine"]);
  expect(plan(["pre-tool", "post-tool"]).changes).toEqual([]);
  const { hooks, faults } = discoverHooks({ root: home });
  expect(faults).toEqual([]);
  expect(hooks.map(({ hook }) => [hook.name, hook.failAction, hook.timeoutSecs])).toEqual([
    ["drwn-post-tool-call", "warn", 60],
    ["drwn-pre-tool-call", "block", 60],
    ["drwn-tool-error", "warn", 60],
    ["mine", "warn", 30],
  ]);
  applyChanges(plan(["pre-tool"]).changes);
  expect(list()).toEqual(["drwn-pre-tool-call", "mine"]);
  applyChanges(plan([]).changes);
  expect(list()).toEqual(["mine"]);
  const theirs = ".astrid/hooks/drwn-pre-tool-call/HOOK.toml";
  writeTree(home, { [theirs]: hookToml("", { name: "by hand" }) });
  expect(() => plan(["pre-tool"])).toThrow(/was not made by drwn/u);
  expect(plan([]).changes).toEqual([]);
});

const HOOKS = {
  "a/HOOK.toml": hookToml(`case "$ASTRID_HOOK_DATA" in *rm*) echo 'block: rm blocked';; *) echo continue;; esac`, {
    name: "block-rm",
    fail_action: "block",
    matcher: { type: "tool_names", names: ["shell"] },
  }),
  "b/HOOK.toml": hookToml("echo 'ask: Deploy?'", { name: "ask", matcher: { type: "glob", pattern: "deploy*" } }),
  "c/HOOK.toml": hookToml("exit 3", { name: "fails", fail_action: "block", matcher: { type: "regex", pattern: "^x" } }),
};

const CALLS = [
  { tool_name: "shell", server_name: "builtin", arguments: { command: "rm -r build" } },
  { tool_name: "shell", server_name: "builtin", arguments: { command: "ls" } },
  { tool_name: "deploy_all", server_name: "ops", arguments: {} },
  { tool_name: "x", server_name: "builtin", arguments: {} },
  { tool_name: "other", server_name: "builtin", arguments: {} },
];

test("hooks that went through a card decide in Astrid as they did from their files", async () => {
  const host = newProject();
  const old = workspace(HOOKS);
  const source = sourceWith();
  await importPolicies(host, source, { file: old, from: "astrid", dryRun: false });
  await publishCard(host, { source, key: null, dryRun: false });
  await addCards(host, [CARD]);
  await trust(host);
  await writeProject(host, { wiring: undefined, runtimes: ["astrid"] });
  const env = { PATH: process.env["PATH"], HOME: host.home };
  const dispatcherOf = (root: string) =>
    new AstridDispatcher({ hooks: discoverHooks({ root }).hooks.map(({ hook }) => hook), root, env });
  const before = dispatcherOf(old);
  const carried = discoverHooks({ root: host.home }).hooks.map(({ hook }) => hook);
  const after = new AstridDispatcher({ hooks: carried, root: host.cwd, env });
  for (const data of CALLS) {
    const was = (await before.dispatch("pre_tool_call", { data })).result;
    const is = (await after.dispatch("pre_tool_call", { data })).result;
    expect([data, is.action]).toEqual([data, was.action]);
    if (was.action === "block") expect(JSON.stringify(is)).toContain(was.reason.split(": ").at(-1));
  }
  const again = await importPolicies(host, sourceWith(), {
    file: path.join(host.home, ".astrid"),
    from: undefined,
    dryRun: true,
  });
  expect([again.hooks, again.differences.map(({ what }) => what)]).toEqual([
    [],
    ["it is not imported: it asks drwn, and what drwn answers is in cards already"],
  ]);
});

test("a call is blocked where the hook of drwn is gone, though its command ends well", async () => {
  const host = newProject();
  const source = sourceWith();
  await importPolicies(host, source, { file: workspace(HOOKS), from: "astrid", dryRun: false });
  await publishCard(host, { source, key: null, dryRun: false });
  await addCards(host, [CARD]);
  await trust(host);
  await writeProject(host, { wiring: undefined, runtimes: ["astrid"] });
  fs.rmSync(path.join(host.drwnHome, "bin"), { recursive: true });
  const hooks = discoverHooks({ root: host.home }).hooks.map(({ hook }) => ({ ...hook, failAction: "warn" as const }));
  const dispatcher = new AstridDispatcher({ hooks, root: host.cwd, env: { HOME: host.home } });
  expect((await dispatcher.dispatch("pre_tool_call", { data: CALLS[1] ?? {} })).result).toMatchObject({
    action: "block",
    reason: expect.stringMatching(/^drwn: the hook does not work/u),
  });
});

test("X3, round trip: what is loaded, written with its id and loaded again is the same", () => {
  const root = workspace({
    ...HOOKS,
    "d/HOOK.toml": handlerToml(
      { type: "http", url: "http://127.0.0.1/", headers: { a: "b" }, body_template: '{"e":"{{event}}"}' },
      { event: "session_end", description: "two\nlines", async_mode: true, enabled: false, priority: -3 },
    ),
    "e/HOOK.toml": handlerToml({ type: "wasm", module_path: "a.wasm", function: "run" }, { timeout_secs: 5 }),
    "f/HOOK.toml": handlerToml({ type: "command", command: "x", env: { A: '"\u00e9"' }, working_dir: "sub" }),
  });
  const first = discoverHooks({ root }).hooks.map(({ hook }) => hook);
  const files = Object.fromEntries(first.map((hook, at) => [`${at}/HOOK.toml`, formatHook(hook)]));
  const { hooks, faults } = discoverHooks({ root: workspace(files) });
  expect(faults).toEqual([]);
  expect(hooks.map(({ hook }) => hook)).toEqual(first);
});

const DATA = { tool_name: "status", server_name: "git", arguments: { path: "." } };
test("a server's tool has the name that other agents give it, and its own one as well", () => {
  const wire = { event: "tool_error", session_id: "s", data: { ...DATA, is_error: true, error: "no" }, user_id: null };
  expect(astrid.decode(wire, "post-tool")).toMatchObject({
    toolName: "mcp__git__status",
    aliases: ["status"],
    input: { path: "." },
    rest: { error: { message: "no" }, sessionId: "s", metadata: { tool_name: "status", user_id: null } },
  });
});

test.each([
  ["of another phase", { event: "post_tool_call", data: DATA }],
  ["without data", { event: "pre_tool_call" }],
  ["without a tool", { event: "pre_tool_call", data: {} }],
  ["with arguments that are no object", { event: "pre_tool_call", data: { ...DATA, arguments: "x" } }],
])("an event %s is refused", (_, wire) => {
  expect(() => astrid.decode(wire, "pre-tool")).toThrow();
});
