import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { dispatchPolytoken } from "../../../../src/dialects/polytoken/run/dispatcher.ts";
import {
  isAwaited,
  POLYTOKEN_HOOK_EVENTS,
  type PolytokenEvent,
} from "../../../../src/dialects/polytoken/words/events.ts";
import { compilePolytokenGlob } from "../../../../src/dialects/polytoken/words/glob.ts";
import { PatternFault } from "../../../../src/helpers/pattern/syntax.ts";
import { contextOf, hook, NO_JQ, polytokenWorld, writeHooks } from "../world.ts";

const AWAITED = [
  "session_start",
  "pre_user_prompt",
  "pre_model_turn",
  "pre_tool_use",
  "stop",
  "pre_compaction",
  "post_compaction",
  "notification",
];
const FIRE_AND_FORGET = [
  "post_model_turn",
  "post_tool_use",
  "post_tool_use_failure",
  "facet_switch",
  "subagent_start",
  "subagent_stop",
];

/** What a handler of this event reads, and its variables. */
async function heardOn(event: PolytokenEvent, options: object = {}, env: Record<string, string> = {}) {
  const { load, read, root } = polytokenWorld({
    project: [hook(event, "cat > input; env -0 | grep -az ^POLYTOKEN_ > env; pwd > cwd", { name: "listener" })],
  });
  const dispatcher = load({ env: { PATH: process.env["PATH"], ...env } });
  await (await dispatcher.dispatch(event, { ...contextOf(event), ...options } as never)).settled;
  const variables = (read("env") ?? "").split("\0").filter((line) => line !== "");
  return {
    input: JSON.parse(read("input") ?? "null") as Record<string, unknown>,
    env: Object.fromEntries(variables.map((line) => line.split("=", 2) as [string, string])),
    cwd: read("cwd")?.trim(),
    root,
  };
}

describe("events", () => {
  test("25: there are fourteen", () => {
    expect([...POLYTOKEN_HOOK_EVENTS].sort()).toEqual([...AWAITED, ...FIRE_AND_FORGET].sort());
  });

  test("26: eight are waited for", () => {
    expect(POLYTOKEN_HOOK_EVENTS.filter(isAwaited).sort()).toEqual([...AWAITED].sort());
  });

  test.each(FIRE_AND_FORGET as PolytokenEvent[])(
    "27: nobody waits for %s, and nobody reads what it prints",
    async (event) => {
      const { load, root, read } = polytokenWorld({
        project: [hook(event, 'while [ ! -e go ]; do sleep 0.01; done; echo done > ran; echo \'{"outcome":"deny"}\'')],
      });
      const dispatched = await load().dispatch(event, contextOf(event) as never);
      expect(dispatched).toMatchObject({ proceeds: true, outcome: { outcome: "acknowledged" }, firings: [] });
      expect(read("ran")).toBeUndefined();
      fs.writeFileSync(path.join(root, "go"), "");
      expect(await dispatched.settled).toMatchObject([{ verdict: "allowed", outcome: { outcome: "acknowledged" } }]);
      expect(read("ran")).toBe("done\n");
    },
  );
});

test("one event can be dispatched on its own, by the files of its project and the global one", async () => {
  const files = { global: [hook("pre_tool_use", "exit 0")], project: [hook("pre_tool_use", "exit 2")] };
  const { root, globalFile, projectFile } = polytokenWorld(files);
  vi.stubEnv("XDG_CONFIG_HOME", path.dirname(path.dirname(globalFile)));
  onTestFinished(() => void vi.unstubAllEnvs());
  const tool = { tool_name: "file_read" };
  const verdicts = async (session: object) =>
    (await dispatchPolytoken("pre_tool_use", { ...tool, session })).firings.map(({ verdict }) => verdict);
  expect(await verdicts({ projectDir: root })).toEqual(["allowed", "blocked"]);
  expect(await verdicts({})).toEqual(["allowed"]);
  writeHooks(projectFile, "{");
  await expect(verdicts({ projectDir: root })).rejects.toThrow(projectFile);
});

describe("input", () => {
  test("28: every event passes its name and the matcher subject", async () => {
    const { input } = await heardOn("stop", { prompt: "go on", session: { sessionId: "s1" } });
    expect(input).toMatchObject({ event: "stop", matcher_subject: "stop", prompt: "go on", session_id: "s1" });
  });

  test("29: tool events add the tool's name and input", async () => {
    for (const event of ["pre_tool_use", "post_tool_use", "post_tool_use_failure"] as const) {
      const { input } = await heardOn(event);
      expect(input).toMatchObject({
        event,
        matcher_subject: "file_read",
        tool_name: "file_read",
        input: { path: "a.md" },
      });
    }
  });

  test("30: subagent events add its type", async () => {
    for (const event of ["subagent_start", "subagent_stop"] as const) {
      const { input } = await heardOn(event);
      expect(input).toMatchObject({ event, matcher_subject: "explorer", subagent_type: "explorer" });
    }
  });

  test("31: four variables are always set", async () => {
    const { env } = await heardOn("pre_tool_use");
    expect(env).toMatchObject({
      POLYTOKEN_HOOK_EVENT: "pre_tool_use",
      POLYTOKEN_HANDLER_NAME: "listener",
      POLYTOKEN_HOOK_MATCHER_SUBJECT: "file_read",
      POLYTOKEN_NON_INTERACTIVE: "false",
    });
    expect((await heardOn("stop", { session: { nonInteractive: true } })).env).toMatchObject({
      POLYTOKEN_NON_INTERACTIVE: "true",
    });
  });

  test("32: session and project are set when they are known, and otherwise not, whatever is inherited", async () => {
    const session = { sessionId: "s1", projectPath: "/registered" };
    const { env, cwd, root } = await heardOn("stop", { session });
    expect(env).toMatchObject({
      POLYTOKEN_SESSION_ID: "s1",
      POLYTOKEN_PROJECT_PATH: "/registered",
      POLYTOKEN_PROJECT_DIR: root,
    });
    expect(cwd).toBe(root);
    const others = { POLYTOKEN_SESSION_ID: "of somebody else", POLYTOKEN_PROJECT_PATH: "/elsewhere" };
    const unknown = await heardOn("stop", {}, others);
    expect(Object.keys(unknown.env)).not.toContain("POLYTOKEN_SESSION_ID");
    expect(unknown.env).toMatchObject({ POLYTOKEN_PROJECT_PATH: unknown.root });
  });

  test("33: so are goal, facet and model", async () => {
    const session = { goalActive: true, facetName: "plan", modelName: "m" };
    expect((await heardOn("stop", { session })).env).toMatchObject({
      POLYTOKEN_GOAL_ACTIVE: "true",
      POLYTOKEN_FACET_NAME: "plan",
      POLYTOKEN_MODEL_NAME: "m",
    });
    expect((await heardOn("stop")).env["POLYTOKEN_GOAL_ACTIVE"]).toBe("false");
  });

  test("34, 35: the handler is a Bash script without arguments", async () => {
    const { load, read } = polytokenWorld({
      project: [hook("stop", '[[ abc =~ ^a(.)c$ ]] && echo "$#" > ran')],
    });
    expect((await load().dispatch("stop", {})).proceeds).toBe(true);
    expect(read("ran")).toBe("0\n");
  });

  test("an event without its subject is not judged", async () => {
    const { load } = polytokenWorld({});
    await expect(load().dispatch("pre_tool_use", {} as never)).rejects.toThrow("pre_tool_use has no tool_name");
    await expect(load().dispatch("post_clear" as never, {} as never)).rejects.toThrow("post_clear isn't an event");
  });
});

describe("matching", () => {
  test("36: without a matcher every instance fires", async () => {
    const { load } = polytokenWorld({ project: [hook("pre_tool_use", "exit 2")] });
    for (const tool_name of ["file_read", "shell_exec"]) {
      expect((await load().dispatch("pre_tool_use", { tool_name })).proceeds).toBe(false);
    }
  });

  test.each<[string, PolytokenEvent, string, boolean]>([
    ["37", "pre_tool_use", "file_read", true],
    ["37", "post_tool_use", "file_*", true],
    ["37", "post_tool_use_failure", "shell_exec", false],
    ["38", "subagent_start", "explorer", true],
    ["38", "subagent_stop", "file_read", false],
    ["39", "stop", "stop", true],
    ["39", "stop", "xyz", false],
    ["39", "session_start", "session_*", true],
    ["39", "facet_switch", "explorer", false],
  ])("%s: on %s the matcher %s fires: %s", async (_, event, matcher, fires) => {
    const { load } = polytokenWorld({ project: [hook(event, "exit 0", { matcher })] });
    const { settled } = await load().dispatch(event, contextOf(event) as never);
    expect(await settled).toHaveLength(fires ? 1 : 0);
  });

  test.each<[string, string, string, boolean]>([
    ["40", "a*c", "abbc", true],
    ["40", "a*c", "a/c", false],
    ["40", "a**c", "a/b/c", true],
    ["40", "**", "a/b", true],
    ["40", "a?c", "abc", true],
    ["40", "a?c", "a/c", false],
    ["40", "a?c", "ac", false],
    ["40", "[a-c]x", "bx", true],
    ["40", "[a-c]x", "dx", false],
    ["40", "[!a-c]x", "dx", true],
    ["40", "[]x]", "]", true],
    ["40", "file", "file_read", false],
    ["40", "file", "File", false],
    ["40", "\\*", "*", true],
    ["40", "\\*", "a", false],
    ["40", "{file_write,file_edit_*}", "file_edit_x", true],
    ["40", "{file_write,file_edit_*}", "file_read", false],
    ["41", "file_edit_*", "file_edit_search_replace", true],
    ["41", "file_edit_*", "file_read", false],
    ["42", "file_read", "file_read", true],
    ["42", "mcp__skywatch-mcp__ozone_label", "mcp__skywatch-mcp__ozone_label", true],
    ["42", "web.fetch", "web_fetch", false],
    ["42", "(a|b)+", "(a|b)+", true],
  ])("%s: %s on %s: %s", (_, glob, subject, matches) => {
    expect(compilePolytokenGlob(glob)(subject)).toBe(matches);
  });

  test.each([
    "",
    "[a",
    "[",
    "[z-a]",
    "a\\",
    "{a",
    "a}",
    "{a,{b}",
    `${"{".repeat(200)}a${"}".repeat(200)}`,
    "a".repeat(2000),
  ])("11: %s isn't a glob", (glob) => {
    expect(() => compilePolytokenGlob(glob)).toThrow(PatternFault);
  });

  test("40: a glob of stars takes no longer than its length", () => {
    const matches = compilePolytokenGlob("*a".repeat(200));
    expect(matches(`${"a".repeat(5000)}b`)).toBe(false);
  });

  test("40: a name without signs of a glob matches itself and nothing else", () => {
    const names = fc.stringMatching(/^[a-zA-Z0-9_:./-]{1,20}$/u);
    fc.assert(fc.property(names, names, (one, other) => compilePolytokenGlob(one)(other) === (one === other)));
  });
});

describe.skipIf(NO_JQ)("the example of Polytoken's own page", () => {
  const changelog = hook(
    "pre_tool_use",
    `test "$(jq -r '.input.path // empty')" = CHANGELOG.md && { echo 'CHANGELOG.md is generated; do not edit it by hand.'; exit 2; }; exit 0`,
    { name: "protect-changelog", matcher: "file_edit_search_replace" },
  );

  test("85: an edit of CHANGELOG.md is denied with its text, one of another file proceeds, another tool is not asked about", async () => {
    const dispatcher = polytokenWorld({ project: [changelog] }).load();
    const call = (tool_name: string, path: string) =>
      dispatcher.dispatch("pre_tool_use", { tool_name, input: { path } });
    expect(await call("file_edit_search_replace", "CHANGELOG.md")).toMatchObject({
      proceeds: false,
      outcome: { outcome: "deny", reason: "CHANGELOG.md is generated; do not edit it by hand." },
    });
    expect(await call("file_edit_search_replace", "README.md")).toMatchObject({
      proceeds: true,
      firings: [{ verdict: "allowed" }],
    });
    expect(await call("file_read", "CHANGELOG.md")).toMatchObject({ proceeds: true, firings: [] });
  });
});
