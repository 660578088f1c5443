import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { dispatch as dispatchAstrid } from "../../../../src/dialects/astrid/library.ts";
import { describeAstridFault, discoverHooks } from "../../../../src/dialects/astrid/read/discover.ts";
import { ASTRID_HOOK_EVENTS } from "../../../../src/dialects/astrid/words/hook.ts";
import { temporaryFolder, writeTree } from "../../../support/cards.ts";
import { fire, handlerToml, hookToml, readNotes, verdictOf, workspace } from "../world.ts";

function load(files: Readonly<Record<string, string>>) {
  const root = workspace(files);
  const { hooks, faults } = discoverHooks({ root });
  const said = faults.map((fault) => describeAstridFault(fault).replace(`${root}/.astrid/hooks/`, ""));
  return { hooks: hooks.map(({ hook }) => hook), said };
}

const SEED = `event = "pre_tool_call"
name = "block-rm"
priority = 5
fail_action = "block"
[handler]
type = "command"
command = "sh"
args = ["-c", "case \\"$ASTRID_HOOK_DATA\\" in *rm*) echo 'block: rm blocked';; *) echo continue;; esac"]
`;

test("A1: the example of Astrid's own page, which has no id, loads and blocks rm", async () => {
  const root = workspace({ "HOOK.toml": SEED });
  const { hooks, faults } = discoverHooks({ root });
  expect(faults).toEqual([]);
  expect(hooks[0]?.hook).toMatchObject({ name: "block-rm", priority: 5, failAction: "block" });
  expect(hooks[0]?.hook.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u);
  const data = (command: string) => ({ data: { tool_name: "shell", arguments: { command } } });
  expect((await fire(root, "pre_tool_call", data("rm -r build"))).result).toEqual({
    action: "block",
    reason: "rm blocked",
  });
  expect((await fire(root, "pre_tool_call", data("ls"))).result).toEqual({ action: "continue" });
});

test("A1: the id that is made up is the same each time, and another one in another file", () => {
  const files = { "a/HOOK.toml": SEED, "b/HOOK.toml": SEED };
  const [one, other] = [load(files), load(files)].map(({ hooks }) => hooks.map(({ id }) => id));
  expect(one).toEqual(other);
  expect(new Set(one).size).toBe(2);
});

test("A2: an id is kept", () => {
  const id = "01234567-89ab-cdef-0123-456789abcdef";
  expect(load({ "HOOK.toml": hookToml("", { id }) }).hooks[0]?.id).toBe(id);
});

test("A3: each of the three names is found directly in the folder", () => {
  const names = ["HOOK.toml", "hook.toml", "hooks.toml"];
  const { hooks } = load(Object.fromEntries(names.map((name) => [name, hookToml("", { name })])));
  expect(hooks.map(({ name }) => name)).toEqual(names);
});

test("A4: of a folder one file counts, HOOK.toml before hook.toml before hooks.toml, even when it is broken", () => {
  const named = (name: string) => hookToml("", { name });
  const { hooks, said } = load({
    "a/HOOK.toml": named("a1"),
    "a/hook.toml": named("a2"),
    "b/hook.toml": named("b2"),
    "b/hooks.toml": named("b3"),
    "c/hooks.toml": named("c3"),
    "d/HOOK.toml": "no toml",
    "d/hook.toml": named("d2"),
  });
  expect(hooks.map(({ name }) => name)).toEqual(["a1", "b2", "c3"]);
  expect(said).toEqual([expect.stringMatching(/^d\/HOOK\.toml: .*expected TOML/u)]);
});

test("A5: what lies deeper is not found", () => {
  expect(load({ "a/b/HOOK.toml": hookToml("") }).hooks).toEqual([]);
});

test("A6: an extra folder comes after the workspace", () => {
  const root = workspace({ "z/HOOK.toml": hookToml("", { name: "own" }) });
  const extra = writeTree(temporaryFolder(), { "a/hook.toml": hookToml("", { name: "extra" }) });
  const { hooks } = discoverHooks({ root, extraPaths: [extra, path.join(root, ".astrid/hooks")] });
  expect(hooks.map(({ hook }) => hook.name)).toEqual(["own", "extra"]);
});

test("A7: a broken file is named, and the others load", () => {
  const { hooks, said } = load({ "a/HOOK.toml": "event = ", "b/HOOK.toml": hookToml("") });
  expect(hooks).toHaveLength(1);
  expect(said).toEqual([expect.stringMatching(/^a\/HOOK\.toml: .*line 1, column 9: expected TOML/u)]);
});

test.each([
  ["A8: an unknown event", hookToml("", { event: "pre_tool_use" }), /`event`: is "pre_tool_use"; there are session_/],
  ["A9: an unknown kind of handler", handlerToml({ type: "lua" }), /`handler\.type`: is "lua"; there are command,/],
  [
    "A9: an agent, which Astrid has no code for",
    handlerToml({ type: "agent", prompt_template: "?" }),
    /`handler\.type`/,
  ],
  ["A10: no handler", hookToml("", { handler: null }), /`handler`: is missing/],
  ["A10: no event", hookToml("", { event: null }), /`event`: is missing/],
  ["an unknown field", hookToml("", { when: "always" }), /`when`: is unknown; known are id,/],
  ["an unknown key of a handler", handlerToml({ type: "command", command: "x", shell: true }), /`handler\.shell`/],
  ["no command", handlerToml({ type: "command" }), /`handler\.command`: is missing/],
  ["arguments that are no texts", handlerToml({ type: "command", command: "x", args: [1] }), /`handler\.args`: should/],
  ["variables that are no texts", handlerToml({ type: "command", command: "x", env: { A: 1 } }), /`handler\.env\.A`/],
  ["no URL", handlerToml({ type: "http", url: "webhook" }), /`handler\.url`: should begin with http/],
  ["a header that is none", handlerToml({ type: "http", url: "http://a/", headers: { "a b": "c" } }), /headers\.a b`/],
  ["a method that is none", handlerToml({ type: "http", url: "http://a/", method: "G T" }), /`handler\.method`/],
  ["no module", handlerToml({ type: "wasm" }), /`handler\.module_path`: is missing/],
  ["a timeout that is none", hookToml("", { timeout_secs: 0 }), /`timeout_secs`: should be a whole number from 1/],
  ["an unknown fail_action", hookToml("", { fail_action: "deny" }), /`fail_action`: is "deny"; there are warn, block/],
  ["a priority that isn't a number", hookToml("", { priority: "high" }), /`priority`: should be a whole number/],
  ["an id that is none", hookToml("", { id: "block-rm" }), /`id`: should be a UUID/],
  [
    "A23: a glob that is none",
    hookToml("", { matcher: { type: "glob", pattern: "a[" } }),
    /`matcher\.pattern`: isn't a glob/,
  ],
  [
    "A23: a glob with open braces",
    hookToml("", { matcher: { type: "glob", pattern: "{a,b" } }),
    /a `\{` is not closed/,
  ],
  ["A23: a glob upside down", hookToml("", { matcher: { type: "glob", pattern: "[z-a]" } }), /is upside down/],
  [
    "A23: a regex that is none",
    hookToml("", { matcher: { type: "regex", pattern: "(" } }),
    /isn't a regular expression/,
  ],
  ["a matcher of an unknown kind", hookToml("", { matcher: { type: "path", pattern: "*" } }), /`matcher\.type`/],
  ["a matcher without names", hookToml("", { matcher: { type: "tool_names" } }), /`matcher\.names`: is missing/],
])("%s is told with its file and its field, and the hook does not run", (_, toml, said) => {
  const loaded = load({ "a/HOOK.toml": toml });
  expect(loaded.hooks).toEqual([]);
  expect(loaded.said).toEqual([expect.stringMatching(said)]);
  expect(loaded.said[0]).toMatch(/^a\/HOOK\.toml, /u);
});

test("every fault of a file is told at once, with the entry where there are several", () => {
  const { hooks, said } = load({
    "hooks.toml": `[[hooks]]\n${hookToml("", { name: "good" }).replace("[handler]", "[hooks.handler]")}\n[[hooks]]\nevent = "x"\nprioriti = 3\n`,
  });
  expect(hooks.map(({ name }) => name)).toEqual(["good"]);
  expect(said.map((line) => line.split(": ")[0])).toEqual([
    "hooks.toml, hooks[1], `prioriti`",
    "hooks.toml, hooks[1], `event`",
    "hooks.toml, hooks[1], `handler`",
  ]);
});

test("a broken hook that says that its failure is a rejection rejects its event, and no other one", async () => {
  const root = workspace({ "a/HOOK.toml": hookToml("", { fail_action: "block", timeout_secs: "soon" }) });
  const reason = expect.stringMatching(/cannot be loaded: .*a\/HOOK\.toml, `timeout_secs`/u);
  expect((await fire(root)).result).toEqual({ action: "block", reason });
  expect((await fire(root, "session_start")).result).toEqual({ action: "continue" });
});

test.each([
  ["broken TOML", 'fail_action = "block"\nevent = pre_tool_call', "block"],
  ["broken TOML that says nothing of it", "event = pre_tool_call", "continue"],
  ["an event that nobody knows", hookToml("", { event: "pre_tool", fail_action: "block" }), "block"],
  ["a broken hook that is off", hookToml("", { event: "x", fail_action: "block", enabled: false }), "continue"],
])("%s has the verdict of its failure", async (_, toml, action) => {
  expect((await fire(workspace({ "a/HOOK.toml": toml }))).result.action).toBe(action);
});

test("A11: no folder of hooks is no fault", () => {
  expect(discoverHooks({ root: temporaryFolder(), extraPaths: ["/nowhere/at/all"] })).toEqual({
    hooks: [],
    faults: [],
  });
});

test("A12: what a file does not say", () => {
  const { hooks } = load({
    "a/HOOK.toml": handlerToml({ type: "command", command: "true" }),
    "b/HOOK.toml": handlerToml({ type: "http", url: "https://127.0.0.1/" }),
    "c/HOOK.toml": handlerToml({ type: "wasm", module_path: "a.wasm" }),
  });
  expect(hooks[0]).toMatchObject({
    name: null,
    matcher: null,
    timeoutSecs: 30,
    failAction: "warn",
    asyncMode: false,
    enabled: true,
    priority: 100,
    handler: { args: [], env: {}, workingDir: null },
  });
  expect(hooks[1]?.handler).toMatchObject({ method: "POST", headers: {}, bodyTemplate: null });
  expect(hooks[2]?.handler).toMatchObject({ function: "handle" });
});

test("A13: all 23 events are taken, and fire", async () => {
  const root = workspace(
    Object.fromEntries(
      ASTRID_HOOK_EVENTS.map((event) => [`${event}/HOOK.toml`, hookToml(`echo block: ${event}`, { event })]),
    ),
  );
  expect(ASTRID_HOOK_EVENTS).toHaveLength(23);
  const verdicts = await Promise.all(ASTRID_HOOK_EVENTS.map(async (event) => (await fire(root, event)).result));
  expect(verdicts).toEqual(ASTRID_HOOK_EVENTS.map((event) => ({ action: "block", reason: event })));
});

test("A14: a hook that is not enabled never runs", async () => {
  const root = workspace({ "a/HOOK.toml": hookToml("echo ran > notes; echo block: no", { enabled: false }) });
  const { result, executions } = await fire(root);
  expect(result).toEqual({ action: "continue" });
  expect(executions).toMatchObject([{ end: { status: "skipped", reason: "it is not enabled" } }]);
  expect(readNotes(root)).toBe("");
});

test("a link that leads out of the folder of hooks is told and not read", () => {
  const root = workspace({ "a/HOOK.toml": hookToml("") });
  const stranger = writeTree(temporaryFolder(), { "HOOK.toml": hookToml("") });
  fs.symlinkSync(stranger, path.join(root, ".astrid/hooks/b"));
  fs.symlinkSync(path.join(root, ".astrid/hooks/a"), path.join(root, ".astrid/hooks/c"));
  const { hooks, faults } = discoverHooks({ root });
  expect(hooks).toHaveLength(2);
  expect(faults.map(describeAstridFault)).toEqual([
    expect.stringMatching(/hooks\/b\/HOOK\.toml: it leads out of its folder/u),
  ]);
});

test("an order of priorities is kept across folders", async () => {
  expect(await verdictOf([hookToml("echo block: late"), hookToml("echo block: early", { priority: -1 })])).toEqual({
    action: "block",
    reason: "early",
  });
});

test("one event on its own is asked of the hooks of the workspace and of the user, and faults of files are told", async () => {
  const root = workspace({ "HOOK.toml": SEED, "broken/HOOK.toml": 'event = "pre_tool_call"\npriority = "high"\n' });
  const home = writeTree(temporaryFolder(), {
    ".astrid/hooks/mine/HOOK.toml": hookToml("echo 'block: mine'", { priority: 1, fail_action: "block" }),
  });
  const call = { data: { tool_name: "shell", arguments: { command: "rm -r ." } } };
  const env = { PATH: process.env["PATH"] };
  const mine = await dispatchAstrid("pre_tool_call", call, { root, home, env });
  expect(mine.result).toEqual({ action: "block", reason: "mine" });
  expect(mine.warnings).toContainEqual(expect.stringContaining("broken/HOOK.toml"));
  expect((await dispatchAstrid("pre_tool_call", call, { root, home: null, env })).result).toEqual({
    action: "block",
    reason: "rm blocked",
  });
  await expect(dispatchAstrid("pre_tool" as "pre_tool_call", call, { root, home: null, env })).rejects.toThrow(
    TypeError,
  );
});
