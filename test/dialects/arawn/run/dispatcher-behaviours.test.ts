import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { blockedResult } from "../../../../src/dialects/arawn/run/dispatcher.ts";
import { isRunning } from "../../../support/processes.ts";
import { bash, pluginOf, pluginWith, SHELL_CALL, written } from "../world.ts";

const ALLOW = { outcome: "allow" };

describe("Arawn's hooks, by the numbers of the behaviours that they must have", () => {
  test("R1: five events are registered from [[hooks]]", () => {
    const events = ["PreToolUse", "PostToolUse", "SessionStart", "SessionEnd", "Stop"];
    const { dispatcher, faults } = pluginWith(events.map((event) => ({ event, script: "exit 0" })));
    expect(faults).toEqual([]);
    expect(dispatcher.counts()).toEqual(Object.fromEntries(events.map((event) => [event, 1])));
  });

  test("R2: a PreToolUse hook reads tool and params, and nothing else", async () => {
    const plugin = pluginWith([{ script: "cat > input" }]);
    await plugin.dispatcher.dispatch("PreToolUse", { ...SHELL_CALL, session_id: "s" });
    expect(written(plugin, "input")).toBe(JSON.stringify(SHELL_CALL));
  });

  test("R3: exit code 0 lets the call go ahead", async () => {
    expect(await pluginWith([{ script: "exit 0" }]).dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual(ALLOW);
  });

  test.each([1, 2, 7])("R4: exit code %i blocks it", async (code) => {
    const { dispatcher } = pluginWith([{ script: `echo no; exit ${code}` }]);
    expect(await dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual({ outcome: "block", reason: "no" });
  });

  test("R5: the reason is what it printed, trimmed", async () => {
    const { dispatcher } = pluginWith([{ script: "printf '\\n  first\\nsecond  \\n'; echo other >&2; exit 1" }]);
    expect(await dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual({ outcome: "block", reason: "first\nsecond" });
  });

  test("R6: where it printed nothing, standard error is the reason, and then its exit code", async () => {
    const { dispatcher } = pluginWith([{ script: "echo why >&2; exit 1" }]);
    expect(await dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual({ outcome: "block", reason: "why" });
    const silent = pluginWith([{ script: "exit 9" }]);
    expect(await silent.dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual({
      outcome: "block",
      reason: "the hook `./0.sh` ended with exit code 9 and gave no reason",
    });
  });

  test("R7: the first that blocks wins, and those behind it are not run", async () => {
    const plugin = pluginWith([{ script: "exit 0" }, { script: "echo mine; exit 1" }, { script: "touch ran" }]);
    expect(await plugin.dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual({ outcome: "block", reason: "mine" });
    expect(fs.existsSync(path.join(plugin.folder, "ran"))).toBe(false);
  });

  test("R8: what a hook prints that lets the call go ahead is shown to nobody", async () => {
    const { dispatcher } = pluginWith([{ script: "echo fine" }]);
    expect(await dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual(ALLOW);
  });

  test.each([
    ["shell*", "shell_exec", true],
    ["shell*", "Shell", false],
    ["shell*", "my_shell", false],
    ["sh?ll", "shell", true],
    ["[rs]hell", "rhell", true],
    ["[!s]hell", "shell", false],
    ["{a,b}", "a", false],
    ["a|b", "a", false],
  ])("R9: tool_match %j on %j: %j", async (glob, tool, isHit) => {
    const { dispatcher } = pluginWith([{ script: "exit 1", toml: `tool_match = "${glob}"` }]);
    const { outcome } = await dispatcher.dispatch("PreToolUse", { tool, params: {} });
    expect(outcome).toBe(isHit ? "block" : "allow");
  });

  test("R10: match_pattern is looked for in the params as compact JSON with its keys in order", async () => {
    const toml = `match_pattern = '"a":1,"z":\\{"b":2,"y":3\\}'`;
    const { dispatcher } = pluginWith([{ script: "exit 1", toml }]);
    const hit = await dispatcher.dispatch("PreToolUse", { tool: "t", params: { z: { y: 3, b: 2 }, a: 1 } });
    const miss = await dispatcher.dispatch("PreToolUse", { tool: "t", params: { a: 2 } });
    expect([hit.outcome, miss.outcome]).toEqual(["block", "allow"]);
  });

  test("R11: both filters have to let it run", async () => {
    const { dispatcher } = pluginWith([{ script: "exit 1", toml: `tool_match = "sh*"\nmatch_pattern = "commit"` }]);
    const outcomes = await Promise.all([
      dispatcher.dispatch("PreToolUse", SHELL_CALL),
      dispatcher.dispatch("PreToolUse", { tool: "other", params: { command: "commit" } }),
      dispatcher.dispatch("PreToolUse", { tool: "shell", params: {} }),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["block", "allow", "allow"]);
  });

  test("R12: a filter on what an event does not have lets it never run", async () => {
    const { dispatcher } = pluginWith([{ event: "SessionStart", script: "echo hi", toml: `tool_match = "*"` }]);
    expect(await dispatcher.dispatch("SessionStart", { session_id: "s" })).toEqual(ALLOW);
  });

  test.each([
    [`tool_match = "[a"`, "tool_match", /not closed/u],
    [`tool_match = "a***"`, "tool_match", /isn't a wildcard/u],
    [`tool_match = "a**"`, "tool_match", /whole part/u],
    [`match_pattern = "("`, "match_pattern", /not closed/u],
    [`match_pattern = "(?=x)"`, "match_pattern", /look-around/u],
  ])("R13: the filter %s is refused when it is loaded, and no call goes ahead behind it", async (toml, field, why) => {
    const plugin = pluginWith([{ script: "exit 0", toml }]);
    expect(plugin.hooks).toEqual([]);
    expect(plugin.faults).toEqual([
      {
        file: path.join(plugin.folder, "plugin.toml"),
        entry: "[[hooks]] 1",
        field,
        what: expect.stringMatching(why),
        isNote: false,
      },
    ]);
    expect((await plugin.dispatcher.dispatch("PreToolUse", SHELL_CALL)).outcome).toBe("block");
  });

  test("R14: a PostToolUse hook reads the result, and its exit code blocks nothing", async () => {
    const plugin = pluginWith([{ event: "PostToolUse", script: "cat > input; echo bad; exit 1" }]);
    const context = { ...SHELL_CALL, result: { ok: true } };
    expect(await plugin.dispatcher.dispatch("PostToolUse", context)).toEqual(ALLOW);
    expect(written(plugin, "input")).toBe(JSON.stringify(context));
    expect(plugin.notes).toEqual([expect.stringMatching(/plugin\.toml, \[\[hooks\]\] 1: bad/u)]);
  });

  test("R15: a SessionStart hook reads the session, and what it prints is context", async () => {
    const plugin = pluginWith([{ event: "SessionStart", script: "cat > input; echo '  remember this  '" }]);
    const outcome = await plugin.dispatcher.dispatch("SessionStart", { session_id: "s-1" });
    expect(outcome).toEqual({ outcome: "info", output: "remember this" });
    expect(written(plugin, "input")).toBe('{"session_id":"s-1"}');
  });

  test("R16: the texts of two are joined by a line break, in their order", async () => {
    const hooks = [
      { event: "SessionStart", script: "sleep 0.05; echo one" },
      { event: "SessionStart", script: "echo two" },
    ];
    const outcome = await pluginWith(hooks).dispatcher.dispatch("SessionStart", { session_id: "s" });
    expect(outcome).toEqual({ outcome: "info", output: "one\ntwo" });
  });

  test("R17: who succeeds in silence says nothing", async () => {
    const { dispatcher } = pluginWith([{ event: "SessionStart", script: "echo ' '" }]);
    expect(await dispatcher.dispatch("SessionStart", { session_id: "s" })).toEqual(ALLOW);
  });

  test("R18: a SessionEnd hook is told how many turns there were", async () => {
    const plugin = pluginWith([{ event: "SessionEnd", script: "cat > input" }]);
    await plugin.dispatcher.dispatch("SessionEnd", { session_id: "s", turn_count: 3 });
    expect(written(plugin, "input")).toBe('{"session_id":"s","turn_count":3}');
  });

  test("R19: a Stop hook reads the response; its text is shown, its no sends the agent on, three times", async () => {
    const shown = pluginWith([{ event: "Stop", script: "cat > input; echo seen" }]);
    expect(await shown.dispatcher.dispatch("Stop", { response: "done" })).toEqual({ outcome: "info", output: "seen" });
    expect(written(shown, "input")).toBe('{"response":"done"}');

    const { dispatcher, notes } = pluginWith([{ event: "Stop", script: "echo 'run the tests'; exit 1" }]);
    const outcomes = [];
    for (let turn = 0; turn < 4; turn++) outcomes.push(await dispatcher.dispatch("Stop", { response: "done" }));
    const keepGoing = { outcome: "block", reason: "run the tests" };
    expect(outcomes).toEqual([keepGoing, keepGoing, keepGoing, { outcome: "info", output: "run the tests" }]);
    expect(notes).toEqual(["the agent was sent on 3 times; it hands back although a hook says: run the tests"]);
    expect((await dispatcher.dispatch("Stop", { response: "done", kept_going: 3 })).outcome).toBe("info");
  });

  test("R20: a hook has ten seconds", () => {
    expect(pluginWith([{ script: "exit 0" }]).hooks.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000]);
  });

  test("R21: at the deadline it is killed with all that it started, whatever signals they ignore", async () => {
    const script = "trap '' TERM; (trap '' TERM; sleep 60) & echo $! > child; echo $$ > own; wait";
    const plugin = pluginWith([{ event: "PostToolUse", script }], { timeoutMs: 2_000 });
    await plugin.dispatcher.dispatch("PostToolUse", { ...SHELL_CALL, result: null });
    for (const name of ["own", "child"]) {
      const pid = Number(written(plugin, name));
      expect(pid).toBeGreaterThan(1);
      await expect.poll(() => isRunning(pid)).toBe(false);
    }
  });

  test("R22: a deadline that passes on an event that only informs blocks nothing", async () => {
    const plugin = pluginWith([{ event: "SessionStart", script: "sleep 60" }], { timeoutMs: 100 });
    expect(await plugin.dispatcher.dispatch("SessionStart", { session_id: "s" })).toEqual(ALLOW);
    expect(plugin.notes).toEqual([expect.stringContaining("timed out after 0.1 s")]);
  });

  test("R23: one that passes on PreToolUse blocks and says so, unless errors are to allow", async () => {
    const late = { script: "echo early; sleep 60" };
    const strict = await pluginWith([late], { timeoutMs: 300 }).dispatcher.dispatch("PreToolUse", SHELL_CALL);
    expect(strict).toEqual({ outcome: "block", reason: "the hook `./0.sh` timed out after 0.3 s" });
    const lax = await pluginWith([late], { timeoutMs: 100, onError: "allow" }).dispatcher.dispatch(
      "PreToolUse",
      SHELL_CALL,
    );
    expect(lax).toEqual(ALLOW);
  });

  test("R24: so does a command that is not there; on other events it is noted", async () => {
    const toml = ["PreToolUse", "SessionStart"].map(
      (event) => `[[hooks]]\nevent = "${event}"\ncommand = "./gone.sh"\n`,
    );
    const plugin = pluginOf({ "plugin.toml": toml.join("") });
    expect(await plugin.dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual({
      outcome: "block",
      reason: "the hook `./gone.sh` cannot be started: there is no such program or folder",
    });
    expect(await plugin.dispatcher.dispatch("SessionStart", { session_id: "s" })).toEqual(ALLOW);
    expect(plugin.notes).toHaveLength(1);
    const lax = pluginOf({ "plugin.toml": toml.join("") }, { onError: "allow" });
    expect(await lax.dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual(ALLOW);
  });

  test("R25: the plugin's folder and the session are in the environment", async () => {
    const script = 'echo "$ARAWN_PLUGIN_DIR|$CLAUDE_PLUGIN_ROOT|$ARAWN_SESSION_ID|$OWN"';
    const hook = { event: "SessionStart", script };
    const plugin = pluginWith([hook], { env: { OWN: "x", ARAWN_SESSION_ID: "another" } });
    expect(await plugin.dispatcher.dispatch("SessionStart", { session_id: "s-1" })).toEqual({
      outcome: "info",
      output: `${plugin.folder}|${plugin.folder}|s-1|x`,
    });
    const none = pluginWith([{ script: "env > vars" }], { env: { ARAWN_SESSION_ID: "another" } });
    await none.dispatcher.dispatch("PreToolUse", SHELL_CALL);
    expect(written(none, "vars")).not.toContain("ARAWN_SESSION_ID");
  });

  test("R26: it runs in the plugin's folder, where relative commands are looked for", async () => {
    const plugin = pluginOf({
      "plugin.toml": `[[hooks]]\nevent = "SessionStart"\ncommand = "bin/where"\n[[hooks]]\nevent = "SessionStart"\ncommand = "here"\n`,
      "bin/where": bash("pwd"),
      here: bash("echo bare"),
    });
    const outcome = await plugin.dispatcher.dispatch("SessionStart", { session_id: "s" });
    expect(outcome).toEqual({ outcome: "info", output: `${fs.realpathSync(plugin.folder)}\nbare` });
  });

  test("R27: a file that is not executable is an error, and no crash", async () => {
    const plugin = pluginOf({
      "plugin.toml": `[[hooks]]\nevent = "PreToolUse"\ncommand = "./plain"\n`,
      plain: "exit 0",
    });
    expect(await plugin.dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual({
      outcome: "block",
      reason: "the hook `./plain` cannot be started: it is not executable",
    });
  });

  test("R28: a hook that does not read its large input ends as it says", async () => {
    const { dispatcher } = pluginWith([{ script: "exec 0<&-; echo no; exit 1" }, { script: "exit 0" }]);
    const call = { tool: "write", params: { content: "x".repeat(5_000_000) } };
    expect(await dispatcher.dispatch("PreToolUse", call)).toEqual({ outcome: "block", reason: "no" });
  });

  test("R31: a hooks.json that is none is said, its plugin has no hooks, and no call goes ahead", async () => {
    const plugin = pluginOf({ "hooks/hooks.json": "{ not json" });
    expect(plugin.hooks).toEqual([]);
    expect(plugin.faults).toEqual([expect.objectContaining({ what: expect.stringContaining("is not JSON") })]);
    expect((await plugin.dispatcher.dispatch("PreToolUse", SHELL_CALL)).outcome).toBe("block");
    expect(await plugin.dispatcher.dispatch("SessionStart", { session_id: "s" })).toEqual(ALLOW);
    const lax = pluginOf({ "hooks/hooks.json": "{ not json" }, { onError: "allow" });
    expect(await lax.dispatcher.dispatch("PreToolUse", SHELL_CALL)).toEqual(ALLOW);
  });

  test("R32: the flat shape of the journal example is read", async () => {
    const hooks = { hooks: [{ event: "SessionStart", type: "command", command: "./hi.sh" }] };
    const plugin = pluginOf({ "hooks/hooks.json": JSON.stringify(hooks), "hi.sh": bash(`echo '{"outcome":"allow"}'`) });
    expect(await plugin.dispatcher.dispatch("SessionStart", { session_id: "s" })).toEqual({
      outcome: "info",
      output: '{"outcome":"allow"}',
    });
  });

  test("R33: the agent is told that a hook blocked the call, and why", () => {
    expect(blockedResult("no commits")).toBe("Blocked by hook: no commits");
  });

  test("R34: hooks are counted by their event", () => {
    const { dispatcher } = pluginWith([{ script: "" }, { script: "" }, { event: "Stop", script: "" }]);
    expect(dispatcher.counts()).toEqual({ PreToolUse: 2, Stop: 1 });
    expect(dispatcher.hooksFor("SessionEnd")).toEqual([]);
  });
});
