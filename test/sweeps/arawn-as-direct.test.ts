import { describe, expect, test } from "vitest";
import { arawnBy } from "../dialects/arawn/compared.ts";
import { bash } from "../dialects/arawn/world.ts";
import { compare, type Told } from "../dialects/compare.ts";
import { sweep } from "../support/sweep.ts";

const call = (tool: string, params: object = { command: "ls" }): Told => ({
  event: "PreToolUse",
  input: { tool, params },
});

interface Entry {
  event?: string;
  filters?: string;
  script: string;
}

/** A plugin with one script for each of these. */
function plugin(...entries: Entry[]) {
  const toml = entries.map(
    ({ event = "PreToolUse", filters = "" }, at) =>
      `[[hooks]]\nevent = "${event}"\n${filters}\ncommand = "./${at}.sh"\n`,
  );
  return {
    "plugins/guard/plugin.toml": toml.join("\n"),
    ...Object.fromEntries(entries.map(({ script }, at) => [`plugins/guard/${at}.sh`, bash(script)])),
  };
}

/**
 * What happens to the events when the plugin itself is asked, when it is a card in Arawn, and when it is a card in
 * Claude Code.
 */
async function endsOf(files: Record<string, string>, told: Told[], generation: "plugin.toml" | "settings.json") {
  const { compared } = await compare(arawnBy(generation), { files, place: "plugins/guard", told });
  return compared.map(({ direct, own, claude }) => ({ direct, own, claude }));
}

const GENERATIONS = ["plugin.toml", "settings.json"] as const;

describe.each(sweep(GENERATIONS, 1))("a plugin as a card that Arawn asks by its %s", (generation) => {
  test("1: a script is told Arawn's own names of tools, in Claude Code too", async () => {
    const script = `in=$(cat); echo "$in" >> @TRACE@; case $in in *'"tool":"shell"'*|*'"tool":"file_read"'*) echo no; exit 1;; esac`;
    const asked = await endsOf(
      plugin({ script }),
      [call("shell"), call("file_read", {}), call("grep", {})],
      generation,
    );
    for (const { direct, own, claude } of asked) expect([own, claude]).toEqual([direct, direct]);
    expect(asked.map(({ direct }) => direct.ends)).toEqual(["held", "held", "proceeds"]);
  });

  test("1: tool_match means Arawn's own names, and what a first line gives the interpreter counts", async () => {
    const entries = plugin(
      { filters: 'tool_match = "B*"', script: "echo B; exit 1" },
      { filters: 'tool_match = "file_*"', script: "echo file; exit 1" },
      { filters: 'tool_match = "g[a-e]ep"', script: "" },
    );
    const files = { ...entries, "plugins/guard/2.sh": "#!/bin/bash -e\necho class; false; exit 0\n" };
    const told = [call("shell"), call("file_write", {}), call("Brave", {}), call("gbep", {}), call("grep", {})];
    const asked = await endsOf(files, told, generation);
    for (const { direct, own, claude } of asked) expect([own, claude]).toEqual([direct, direct]);
    expect(asked.map(({ direct }) => direct.reason)).toEqual(["", "file", "B", "class", ""]);
  });

  test("6, 14: hooks on starts, ends, results and stops are asked, and what they say counts", async () => {
    const script = "cat >> @TRACE@; echo seen";
    const files = plugin(
      { event: "SessionStart", script },
      { event: "SessionEnd", script: "cat >> @TRACE@" },
      { event: "PostToolUse", filters: 'tool_match = "sh*"\nmatch_pattern = "ls"', script },
      { event: "Stop", script: "if grep -q done; then echo Say more.; exit 1; fi; echo fine" },
    );
    const result = { tool: "shell", params: { command: "ls" }, result: { output: "x" } };
    const asked = await endsOf(
      files,
      [
        { event: "SessionStart", input: { session_id: "s1" } },
        { event: "SessionEnd", input: { session_id: "s1", turn_count: 3 } },
        { event: "PostToolUse", input: result },
        { event: "PostToolUse", input: { ...result, tool: "grep" } },
        { event: "Stop", input: { response: "done", session_id: "s1" } },
        { event: "Stop", input: { response: "well", session_id: "s1" } },
      ],
      generation,
    );
    for (const { direct, own } of asked) expect(own).toEqual(direct);
    expect(asked.map(({ direct: { ends, text, reason } }) => `${ends} ${text}${reason}`)).toEqual([
      "proceeds seen",
      "proceeds ",
      "proceeds seen",
      "proceeds ",
      "held Say more.",
      "proceeds fine",
    ]);
    const [start, end, after, other, ...stops] = asked;
    for (const one of [start, after, other, ...stops]) expect(one?.claude).toEqual(one?.direct);
    // Only Arawn counts turns.
    expect(end?.claude?.trace).toContain('"session_id":"s1"');
  });
});

test("hooks of settings are told of a subagent's kind by Arawn's own name, and their no without words is the same", async () => {
  const guard = `case $(cat) in *'"agent_type":"plan"'*) exit 2;; esac; echo unseen`;
  const settings = { hooks: { SubagentStop: [{ hooks: [{ type: "command", command: guard }] }] } };
  const { compared } = await compare(arawnBy("settings.json"), {
    files: { ".arawn/settings.json": JSON.stringify(settings) },
    place: ".arawn/settings.json",
    told: [{ event: "SubagentStop", input: { agent_type: "plan", response: "x", session_id: "s" } }],
  });
  const held = { ends: "held", reason: expect.stringContaining("ended with exit code 2") };
  expect(compared).toMatchObject([{ direct: held, own: held, claude: held }]);
});

test("hooks of settings are told whether one sent the agent on already, and not how drwn counts that", async () => {
  const guard = `in=$(cat); echo "$in" >> @TRACE@; case $in in *'"stop_hook_active":true'*) exit 0;; esac; echo go on >&2; exit 2`;
  const settings = { hooks: { Stop: [{ hooks: [{ type: "command", command: guard }] }] } };
  const { compared } = await compare(arawnBy("settings.json"), {
    files: { ".arawn/settings.json": JSON.stringify(settings) },
    place: ".arawn/settings.json",
    told: [false, true].map((stop_hook_active) => ({
      event: "Stop",
      input: { response: "x", session_id: "s", stop_hook_active },
    })),
  });
  for (const { direct, own, claude, told } of compared) {
    const ends = told.input["stop_hook_active"] === true ? "proceeds" : "held";
    expect([direct, own, claude].map((way) => [way?.ends, way?.trace.includes("kept_going")])).toEqual(
      Array(3).fill([ends, false]),
    );
  }
});

test("a script that prints more than is kept lets through what it lets through directly, and its text is cut alike", async () => {
  const script = `head -c 100000 /dev/zero | tr '\\0' x`;
  const files = plugin({ script }, { event: "SessionStart", script });
  const told = [call("shell"), { event: "SessionStart", input: { session_id: "s" } }];
  for (const { direct, own, claude } of await endsOf(files, told, "plugin.toml")) {
    expect([own, claude].map((way) => [way?.ends, way?.text.length])).toEqual(
      [direct, direct].map(({ ends, text }) => [ends, text.length]),
    );
  }
});

test("8: a script in a card is not led to drwn's own plugin", async () => {
  const script = `echo "$PWD $ARAWN_PLUGIN_DIR $CLAUDE_PLUGIN_ROOT" >> @TRACE@`;
  const { compared, card } = await compare(arawnBy("plugin.toml"), {
    files: plugin({ script }),
    place: "plugins/guard",
    told: [call("shell")],
  });
  expect(compared[0]?.own.trace.trim()).toBe(card.cwd);
});

test("a script that is killed says no, at the end of a turn too", async () => {
  const told = [call("shell"), { event: "Stop", input: { response: "x", session_id: "s" } }];
  const files = plugin({ script: "kill -9 $$" }, { event: "Stop", script: "kill -9 $$" });
  for (const { direct, own, claude } of await endsOf(files, told, "plugin.toml")) {
    const held = { ends: "held", reason: expect.stringMatching(/ended by SIGKILL/u) };
    expect([direct, own, claude]).toMatchObject([held, held, held]);
  }
}, 200_000);
