import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { IN_ANY_CARD } from "../../../../src/dialects/importing/imported.ts";
import { importPolicies } from "../../../../src/operations/author/import-policies.ts";
import { doctorSource } from "../../../../src/operations/author/inspect-source.ts";
import { readTree, sourceWith, writeTree } from "../../../support/cards.ts";
import { testHost } from "../../../support/host.ts";
import { problemOf } from "../../../support/problems.ts";
import { extismModule, say } from "../../../support/wasm-modules.ts";
import { handlerToml, hookToml } from "../world.ts";

function importing(files: Readonly<Record<string, string>>) {
  const host = testHost();
  const card = sourceWith();
  const entries = Object.entries(files).map(([name, text]) => [`.astrid/hooks/${name}`, text]);
  writeTree(host.cwd, Object.fromEntries(entries));
  const run = (file = ".astrid", from?: string) => importPolicies(host, card, { file, from, dryRun: false });
  return { host, card, run };
}

test("hooks become policies that compile, in the order of their priorities, with what they use declared", async () => {
  const { host, card, run } = importing({
    "late/HOOK.toml": hookToml("exit 1", { name: "Late", event: "tool_error", priority: 300 }),
    "web/HOOK.toml": handlerToml(
      { type: "http", url: "http://127.0.0.1:9/hook", headers: { "x-key": "k" } },
      { matcher: { type: "tool_names", names: ["shell"] }, timeout_secs: 5 },
    ),
    "first/HOOK.toml": hookToml("echo '\u202ehidden'", {
      name: "First of all",
      priority: -1,
      fail_action: "block",
      matcher: { type: "glob", pattern: "mcp_*" },
    }),
    "mod/hook.toml": handlerToml({ type: "wasm", module_path: "mods/a.wasm" }, { name: "mod" }),
  });
  const module = extismModule({ functions: { handle: say("continue") } });
  fs.mkdirSync(path.join(host.cwd, "mods"));
  fs.writeFileSync(path.join(host.cwd, "mods/a.wasm"), module);
  expect(await run()).toMatchObject({
    dialect: "astrid",
    hooks: [
      { name: "pre-tool-call", capabilities: ["env", "exec", "net", "wasm"] },
      { name: "late", capabilities: ["env", "exec"] },
    ],
  });
  const tree = readTree(card);
  expect(
    tree["hooks/pre-tool-call/policy.ts"],
  ).toContain(`import { astridHook, command, http, wasm } from "darwinian-minds/hook-policy/astrid";
import { MODULE } from "./module.ts";

export default astridHook(
  {
    name: "First of all",
    event: "pre_tool_call",
    matcher: { type: "glob", pattern: "mcp_*" },
    handler: command({ command: "sh", args: ["-c","echo '\\u202ehidden'"] }),
    failAction: "block",
  },
  {
    name: "mod",
    event: "pre_tool_call",
    handler: wasm({ module: MODULE }),
  },
  {
`);
  expect(tree["hooks/late/policy.ts"]).toBe(`import { astridHook, command } from "darwinian-minds/hook-policy/astrid";

export default astridHook({
  name: "Late",
  event: "tool_error",
  handler: command({ command: "sh", args: ["-c","exit 1"] }),
});
`);
  expect(tree["hooks/pre-tool-call/module.ts"]).toContain(Buffer.from(module).toString("base64").slice(0, 100));
  const inspected = await doctorSource(host, card);
  expect(inspected.ok).toBe(true);
  expect(inspected.hooks).toMatchObject([
    { kind: "enforcement", matcher: null, phases: ["pre-tool"], timeoutMs: 30_000 },
    { kind: "observer", matcher: null, phases: ["post-tool"] },
  ]);
});

test("what is lost or tightened is said, by hook", async () => {
  const { run } = importing({
    "a/HOOK.toml": handlerToml(
      { type: "command", command: "/usr/bin/python3", args: ["check.py"], working_dir: "/srv/policies" },
      { name: "python", timeout_secs: 60, async_mode: true },
    ),
    "b/HOOK.toml": hookToml("", { name: "off", enabled: false }),
    "c/HOOK.toml": hookToml("", { name: "kernel", event: "kernel_start" }),
    "d/HOOK.toml": hookToml("", { name: "broken", priority: "high" }),
    "e/HOOK.toml": handlerToml({ type: "wasm", module_path: "nowhere.wasm" }, { name: "mod" }),
  });
  const { hooks, differences } = await run(".", "astrid");
  expect(hooks.map(({ name }) => name)).toEqual(["python", "kernel"]);
  const said = (start: string) =>
    differences.filter(({ policy }) => policy.startsWith(start)).map(({ what }) => what.replace(/\/.*\.astrid/u, ""));
  expect(said("python")).toEqual([
    "its event is tool.before; active on: every agent that drwn guards",
    expect.stringMatching(/^it reads Astrid's own names of tools in every agent; .* as the agent spells them$/u),
    "its handler is stopped after 29 seconds",
    "it names `/usr/bin/python3`, which does not come with the card: what is there when it runs counts",
    "it names `check.py`, which does not come with the card: what is there when it runs counts",
    "it runs in /srv/policies, which does not come with the card",
    "in other agents its paths begin in the folder that the agent works in at the time",
    expect.stringMatching(/^its id \(.*\) is not kept$/u),
    "user_id is empty in agents other than Astrid",
    "async_mode has no effect, not even in Astrid: the agent waits for it",
    expect.stringMatching(
      /^of what it modifies, `arguments` replaces the tool's input, and blocks in agents that take no/u,
    ),
    "the default answer of a question is not shown",
    expect.stringMatching(/^a question of it holds nothing in agents that cannot ask then/u),
    "its failure is noted in the journal, without what it printed",
    IN_ANY_CARD,
  ]);
  expect(said("off")).toEqual(["it is not imported: it is not enabled"]);
  expect(said("kernel")).toContain("its event is host.start; active on: astrid");
  expect(said("kernel")).toContain("it holds nothing: this event cannot be held");
  expect(said("mod")).toEqual([expect.stringMatching(/^it is not imported: there is no module/u)]);
  expect(said(".astrid/hooks/d")).toEqual([expect.stringMatching(/^it is not imported: .*`priority`: should be/u)]);
});

test.each([
  ["warn", "pre_tool_call", ["one that does not end in time denies the call, although its fail_action is warn"]],
  ["block", "pre_tool_call", []],
  ["warn", "post_tool_call", []],
])(
  "what a late module comes to is said where it differs: fail_action %s on %s",
  async (failAction, event, expected) => {
    const { host, run } = importing({
      "a/HOOK.toml": handlerToml({ type: "wasm", module_path: "a.wasm" }, { event, fail_action: failAction }),
    });
    fs.writeFileSync(path.join(host.cwd, "a.wasm"), extismModule({ functions: { handle: say("continue") } }));
    const { differences } = await run(".", "astrid");
    expect(differences.map(({ what }) => what).filter((what) => what.includes("end in time"))).toEqual(expected);
  },
);

test.each([
  ["../secret.wasm", /is outside/u],
  ["link.wasm", /is outside/u],
  ["pipe.wasm", /there is no module/u],
  ["mods", /there is no module/u],
  ["text.wasm", /isn't a WebAssembly module/u],
  ["huge.wasm", /is longer than/u],
])("the module %s is not put into the card, and that is said", async (modulePath, why) => {
  const { host, card, run } = importing({ "a/HOOK.toml": handlerToml({ type: "wasm", module_path: modulePath }) });
  const module = extismModule({ functions: { handle: say("continue") } });
  const secret = path.join(path.dirname(host.cwd), "secret.wasm");
  fs.writeFileSync(secret, module);
  fs.symlinkSync(secret, path.join(host.cwd, "link.wasm"));
  execFileSync("mkfifo", [path.join(host.cwd, "pipe.wasm")]);
  writeTree(host.cwd, { "text.wasm": "PRIVATE", "mods/x": "" });
  fs.writeFileSync(path.join(host.cwd, "huge.wasm"), module);
  fs.truncateSync(path.join(host.cwd, "huge.wasm"), 8 * 1024 * 1024);
  const { hooks, differences } = await run();
  expect([hooks, differences.map(({ what }) => what)]).toEqual([[], [expect.stringMatching(why)]]);
  expect(JSON.stringify(readTree(card))).not.toContain("PRIVATE");
});

test("a file of several hooks tells where each begins", async () => {
  const one = hookToml("").replace("[handler]", "[hooks.handler]");
  const { run } = importing({ "hooks.toml": `# two\n[[hooks]]\nname = "a"\n${one}\n[[hooks]]\nname = "b"\n${one}` });
  const { differences } = await run(".astrid/hooks/hooks.toml");
  const lines = new Map(differences.map(({ policy, line }) => [policy, line]));
  expect([...lines]).toEqual([
    ["a (hooks.toml)", 2],
    ["b (hooks.toml)", 11],
  ]);
});

test.each([
  ["nothing", {}, ".astrid"],
  ["nothing that loads", { "HOOK.toml": "event =" }, ".astrid"],
  ["a file that is not there", {}, "HOOK.toml"],
])("%s is refused, and changes nothing", async (_, files, place) => {
  const { card, run } = importing({ ...files });
  const before = readTree(card);
  expect((await problemOf(() => run(place))).code).toBe("DRWN_POLICIES_UNREADABLE");
  expect(readTree(card)).toEqual(before);
});
