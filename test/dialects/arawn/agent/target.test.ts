import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { arawn } from "../../../../src/dialects/arawn/adapter.ts";
import { arawnTarget } from "../../../../src/dialects/arawn/agent/target.ts";
import { loadArawnHooks } from "../../../../src/dialects/arawn/read/load.ts";
import { ArawnDispatcher } from "../../../../src/dialects/arawn/run/dispatcher.ts";
import { applyChanges } from "../../../../src/wiring/changes.ts";
import type { JsonOriginal } from "../../../../src/wiring/json-file.ts";
import type { PolicyTrigger } from "../../../../src/wiring/target.ts";
import { armHome } from "../../../support/armed-home.ts";
import { readTree, temporaryFolder, writeTree } from "../../../support/cards.ts";

const BOTH: PolicyTrigger[] = [{ matcher: "Bash", phases: ["pre-tool", "post-tool"] }];
const SETTINGS = ".arawn/settings.json";

/** A machine whose Arawn is wired and unwired, with the state of drwn in this folder. */
function machine(place: { root?: string; drwnHome?: string } = {}) {
  const base = temporaryFolder();
  const home = path.join(base, "home");
  const { root = path.join(base, "project"), drwnHome = path.join(home, ".agents", "drwn") } = place;
  fs.mkdirSync(root, { recursive: true });
  const origins = new Map<string, JsonOriginal>();
  const host = { cwd: "/p", home, env: {}, drwnHome };
  return {
    home,
    root,
    write: (own: PolicyTrigger[]) => {
      const originOf = (file: string) => origins.get(file);
      const planned = arawnTarget.planHooks({
        host,
        root,
        wiring: "user",
        own,
        others: [],
        shared: "keep",
        originalOf: originOf,
      });
      for (const [file, origin] of planned.originals) origins.set(file, origin);
      applyChanges(planned.changes);
      return planned.changes.length;
    },
    check: () => arawnTarget.check({ host, root, file: path.join(home, SETTINGS) }),
    dispatcher: (generation: string) => {
      const { hooks, faults } = loadArawnHooks({ home, root });
      expect(faults).toEqual([]);
      const env = { PATH: process.env["PATH"], HOME: home };
      return new ArawnDispatcher({ hooks: hooks.filter((hook) => hook.generation === generation), env });
    },
  };
}

const call = (command: string) => ({ tool: "shell", params: { command }, session_id: "s" });

describe("a project in which policies were consented to", () => {
  const guard = {
    hook: "no-rm",
    matcher: "Bash",
    policy: `{ beforeToolCall: (event) => event.input.command.startsWith("rm") ? { action: "deny", reason: "no rm" } : undefined }`,
  };

  test.each(["plugin.toml", "hooks.json", "settings.json"])(
    "Arawn's hooks from %s ask drwn, and its deny stops the call with its reason",
    async (generation) => {
      const armed = armHome([guard]);
      const { write, dispatcher } = machine({ root: armed.project, drwnHome: armed.home });
      write([{ matcher: "Bash", phases: ["pre-tool"] }]);
      const arawnItself = dispatcher(generation);
      expect(arawnItself.counts()).toEqual({ PreToolUse: 1 });
      expect(await arawnItself.dispatch("PreToolUse", call("rm -rf /"))).toEqual({
        outcome: "block",
        reason: "[@me/guards#no-rm] no rm",
      });
      expect(await arawnItself.dispatch("PreToolUse", call("ls"))).toEqual({ outcome: "allow" });
    },
  );

  test("a launcher that is gone blocks, in every generation", async () => {
    const armed = armHome([guard]);
    const { write, dispatcher } = machine({ root: armed.project, drwnHome: armed.home });
    write([{ matcher: "Bash", phases: ["pre-tool"] }]);
    fs.rmSync(path.join(armed.home, "bin", "hook"));
    for (const generation of ["plugin.toml", "settings.json"]) {
      const { outcome } = await dispatcher(generation).dispatch("PreToolUse", call("ls"));
      expect([generation, outcome]).toEqual([generation, "block"]);
    }
  });

  test("policies that take longer than Arawn waits block before it stops waiting", async () => {
    const slow = { ...guard, timeoutMs: 30_000, policy: "{ beforeToolCall: () => new Promise(() => {}) }" };
    const armed = armHome([slow]);
    const { write, dispatcher } = machine({ root: armed.project, drwnHome: armed.home });
    write([{ matcher: "Bash", phases: ["pre-tool"] }]);
    const script = path.join(armed.project, "plugins/drwn/hooks/pre");
    fs.writeFileSync(script, fs.readFileSync(script, "utf8").replace("sleep 9", "sleep 1"));
    expect(await dispatcher("plugin.toml").dispatch("PreToolUse", call("ls"))).toEqual({
      outcome: "block",
      reason: expect.stringContaining("cannot be asked"),
    });
  });
});

describe("what write puts in, and takes out", () => {
  test("nothing is left of it, and others' settings are as they were", () => {
    const { home, root, write } = machine();
    const before =
      '{\n  "model": "x",\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] }\n}\n';
    writeTree(home, { [SETTINGS]: before });
    writeTree(root, { "plugins/other/plugin.toml": "" });
    write(BOTH);
    expect(Object.keys(readTree(path.join(root, "plugins/drwn")))).toEqual([
      ".claude-plugin/plugin.json",
      "hooks/hooks.json",
      "hooks/post",
      "hooks/pre",
      "plugin.toml",
    ]);
    expect(write(BOTH)).toBe(0);
    write([{ matcher: null, phases: ["pre-tool"] }]);
    expect(fs.existsSync(path.join(root, "plugins/drwn/hooks/post"))).toBe(false);
    write([]);
    expect(readTree(home)).toEqual({ [SETTINGS]: before });
    expect(fs.readdirSync(path.join(root, "plugins"))).toEqual(["other"]);
  });

  test("a plugin of this name that somebody else made is not written over", () => {
    const { root, write } = machine();
    writeTree(root, { "plugins/drwn/plugin.toml": "name = 'mine'\n" });
    expect(() => write(BOTH)).toThrow(/plugins\/drwn\/plugin\.toml was not made by drwn/u);
    expect(write([])).toBe(0);
  });

  test.each(["plugins", "plugins/drwn", "plugins/drwn/hooks"])(
    "what a link at %s leads to, outside of the project, is neither written nor taken out",
    (link) => {
      const victim = machine();
      victim.write(BOTH);
      const before = readTree(victim.root);
      const { root, write } = machine();
      fs.mkdirSync(path.dirname(path.join(root, link)), { recursive: true });
      fs.symlinkSync(path.join(victim.root, link), path.join(root, link));
      expect(write([])).toBe(0);
      expect(() => write(BOTH)).toThrow(/leads out of/u);
      expect(readTree(victim.root)).toEqual(before);
    },
  );

  test("doctor names a file that Arawn skips", async () => {
    const { root, check } = machine();
    writeTree(root, { "plugins/bad/plugin.toml": "hooks = 1\n" });
    expect((await check()).map(({ code, subject }) => [code, path.relative(root, subject)])).toEqual([
      ["settings-unreadable", "plugins/bad/plugin.toml"],
    ]);
  });
});

describe("Arawn's events", () => {
  test("of plugins and of settings are read alike, with the names of tools that policies know", () => {
    const expected = { toolName: "Bash", aliases: ["shell"], input: { command: "ls" } };
    expect(arawn.decode({ tool: "shell", params: { command: "ls" } }, "pre-tool")).toMatchObject(expected);
    const settings = { hook_event: "PostToolUse", tool_name: "shell", tool_input: { command: "ls" }, tool_response: 1 };
    expect(arawn.decode({ ...settings, session_id: "s", turn: 2 }, "post-tool")).toMatchObject({
      ...expected,
      rest: { output: 1, sessionId: "s", metadata: { turn: 2, tool_name: "shell" } },
    });
  });

  test.each([
    [{}, /no tool_name/u],
    [{ tool: "" }, /no tool_name/u],
    [{ tool: 3 }, /no tool_name/u],
    [{ tool: "x" }, /no object in tool_input/u],
    [{ tool: "x", params: [] }, /no object in tool_input/u],
    [{ tool: "x", params: {}, hook_event: "PostToolUse" }, /another kind/u],
  ])("%j cannot be judged", (wire, why) => {
    expect(() => arawn.decode(wire, "pre-tool")).toThrow(why);
  });
});
