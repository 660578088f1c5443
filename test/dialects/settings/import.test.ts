import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeEventCoverage } from "../../../src/agents/event-coverage.ts";
import { compileMatcher } from "../../../src/card/matcher.ts";
import { inspectSource } from "../../../src/card/source/inspect.ts";
import { importSettings, readMatcher } from "../../../src/dialects/settings/import.ts";
import { importPolicies } from "../../../src/operations/author/import-policies.ts";
import { sourceWith, temporaryFolder, writeTree } from "../../support/cards.ts";
import { testHost } from "../../support/host.ts";

const CHECK = "#!/usr/bin/env bash\ncat > /dev/null\nexit 2\n";

/** The one handler of these settings, in a project with a script. */
function importOne(handler: object, { event = "PreToolUse", matcher }: { event?: string; matcher?: string } = {}) {
  const root = temporaryFolder();
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] };
  writeTree(root, {
    ".claude/settings.json": JSON.stringify({ model: "x", hooks: { [event]: [group] } }, null, 2),
    ".claude/hooks/check.sh": CHECK,
  });
  fs.chmodSync(path.join(root, ".claude/hooks/check.sh"), 0o755);
  const { hooks, differences } = importSettings(path.join(root, ".claude/settings.json"), {
    owner: "claude",
    describeReach: describeEventCoverage,
  });
  const file = hooks[0]?.files?.["handler.json"];
  return {
    handler: file === undefined ? undefined : JSON.parse(String(file)),
    files: Object.keys(hooks[0]?.files ?? {}),
    name: hooks[0]?.name,
    capabilities: hooks[0]?.capabilities,
    differences: differences.map(({ what }) => what.replaceAll(root, "ROOT")),
  };
}

const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });
const PROJECT = "$CLAUDE_PROJECT_DIR";
/** In braces, as plugins write them. */
const braced = (name: string) => `$\{${name}}`;

describe("hook settings of Claude Code and Codex as hooks of a card", () => {
  test.each([
    [".claude/hooks/check.sh", []],
    [`"${PROJECT}"/.claude/hooks/check.sh --strict`, ["--strict"]],
    [`"${PROJECT}/.claude/hooks/check.sh"`, []],
    ["bash .claude/hooks/check.sh a b", ["a", "b"]],
    [`bash .claude/hooks/check.sh "a b" '' --c='d  e'`, ["a b", "", "--c=d  e"]],
  ])("`%s` starts a script of the project, which comes into the card", (text, args) => {
    const imported = importOne(command(text, { timeout: 10 }), { matcher: "Edit|Write" });
    expect(imported.handler).toEqual({
      event: "tool.before",
      policyKind: "enforcement",
      matcher: "Edit|Write",
      timeoutMs: 10_000,
      speaks: "claude",
      handler: { type: "command", command: "bash", script: "check.sh", args },
    });
    expect([imported.files, imported.name, imported.capabilities]).toEqual([
      ["handler.json", "check.sh"],
      "check",
      ["env", "exec"],
    ]);
    expect(imported.differences).toEqual([
      "its event is tool.before; active on: every agent that drwn guards",
      expect.stringContaining("blocks: an exit code other than 0 and 2"),
    ]);
  });

  test.each([
    ["jq -r .tool_input.command | grep -q rm && exit 2", "jq"],
    ["npx prettier --check .", "npx"],
    [".claude/hooks/gone.sh", "gone"],
    ["bash -e .claude/hooks/check.sh", "bash"],
    [".claude/hooks/check.sh\n./second.sh", "check"],
    [`bash .claude/hooks/check.sh "${PROJECT}"/rules.txt`, "bash"],
    ["bash $CLAUDE_PLUGIN_ROOT/.claude/hooks/check.sh", "bash"],
    [`bash ${"a".repeat(200)};`, "bash"],
  ])("`%s` stays a line of shell, and that is said", (text, name) => {
    const imported = importOne(command(text));
    expect(imported.handler.handler).toEqual({ type: "command", command: "sh", args: ["-c", text] });
    expect(imported.name).toBe(name);
    expect(imported.differences).toContainEqual(expect.stringContaining("it stays a line of shell"));
    expect(imported.differences).toContain("it has 30 seconds, not 60");
  });

  test("a script from elsewhere does not come into the card, by name, by absolute path or through a link", () => {
    const base = temporaryFolder();
    const secret = path.join(base, "secret/id_rsa");
    writeTree(base, { "secret/id_rsa": "PRIVATE\n", "project/near.sh": CHECK });
    const root = path.join(base, "project");
    fs.symlinkSync(secret, path.join(root, "link.sh"));
    fs.symlinkSync(path.dirname(secret), path.join(root, "folder"));
    fs.symlinkSync("near.sh", path.join(root, "inner.sh"));
    execFileSync("mkfifo", [path.join(root, "pipe.sh")]);
    const commands = [
      "sh ../secret/id_rsa",
      `sh ${secret}`,
      "sh link.sh",
      "sh folder/id_rsa",
      "sh pipe.sh",
      "sh inner.sh",
    ];
    writeTree(root, {
      "hooks.json": JSON.stringify({ hooks: { PreToolUse: [{ hooks: commands.map((text) => command(text)) }] } }),
    });
    const { hooks, differences } = importSettings(root, { owner: "codex", describeReach: describeEventCoverage });
    expect(hooks.map(({ files }) => Object.keys(files ?? {}).slice(1))).toEqual([[], [], [], [], [], ["inner.sh"]]);
    expect(JSON.stringify(hooks)).not.toContain("PRIVATE");
    const said = differences.map(({ what }) => what).filter((what) => what.includes("it stays a line of shell"));
    expect(said.map((what) => /is outside|there is no file/u.exec(what)?.[0])).toEqual([
      ...Array(4).fill("is outside"),
      "there is no file",
    ]);
  });

  test.each(["handler.json", "Handler.JSON", "policy.ts", "README.md"])(
    "a script that is named %s takes the place of no other file of its hook",
    (name) => {
      const root = writeTree(temporaryFolder(), {
        "hooks.json": JSON.stringify({ hooks: { PreToolUse: [{ hooks: [command(`sh ${name}`)] }] } }),
        [name]: CHECK,
      });
      const [hook] = importSettings(root, { owner: "codex", describeReach: describeEventCoverage }).hooks;
      expect(hook?.files).toMatchObject({ [`script-${name}`]: CHECK });
      expect(Object.keys(hook?.files ?? {})).toEqual(["handler.json", `script-${name}`]);
      expect(JSON.parse(String(hook?.files?.["handler.json"])).handler.script).toBe(`script-${name}`);
    },
  );

  test("what could hide or reorder text in a handler.json is written out, and means the same", () => {
    const text = "echo '\u202e\u200b\u{e0041}é\u007f' | cat";
    const root = writeTree(temporaryFolder(), {
      "hooks.json": JSON.stringify({ hooks: { PreToolUse: [{ hooks: [command(text)] }] } }),
    });
    const written = String(
      importSettings(root, { owner: "codex", describeReach: describeEventCoverage }).hooks[0]?.files?.["handler.json"],
    );
    expect(written).toMatch(/^[\n\x20-\x7e]+$/u);
    expect(JSON.parse(written).handler.args).toEqual(["-c", text]);
  });

  test.each([
    ["*", undefined],
    ["", undefined],
    ["Bash|Edit", "Bash|Edit"],
    ["Bash, Edit", "Bash|Edit"],
    ["mcp__a-b__c", "mcp__a-b__c"],
    [".*", undefined],
    ["Bash|.*", undefined],
    ["mcp__.*", "*mcp__*"],
    ["mcp__.*__write", "*mcp__*__write*"],
    ["^mcp__.*__write$", "mcp__*__write"],
    ["^Bash", "Bash*"],
    ["Bash$", "*Bash"],
    ["^Bash|Edit$", "Bash*|*Edit"],
    ["^(Bash|Edit)$", "Bash|Edit"],
    ["^(?:Bash|Edit)$", "Bash|Edit"],
    ["^(Bash|Edit)", "Bash*|Edit*"],
    ["(^Bash|Edit)", "Bash*|*Edit*"],
    ["mcp__memory__.*|Bash", "*mcp__memory__*|*Bash*"],
  ])("the matcher %j is the glob %j", (matcher, glob) => {
    expect(importOne(command("true"), { matcher }).handler.matcher).toBe(glob);
  });

  test.each([
    ["Bash|Edit", "Bash|Edit"],
    ["mcp__a-b__c", "*mcp__a-b__c*"],
  ])("the matcher %j of Codex, to which a hyphen is one of an expression, is the glob %j", (matcher, glob) => {
    expect(readMatcher(matcher, "codex")).toEqual({ glob });
  });

  test("no glob for an expression misses a name that the expression finds", () => {
    const part = fc.constantFrom("Bash", "mcp__", "write", ".*", "a-b");
    const alternative = fc
      .tuple(fc.constantFrom("", "^"), fc.array(part, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "$"))
      .map(([start, parts, end]) => `${start}${parts.join("")}${end}`);
    const matcher = fc
      .tuple(fc.constantFrom("", "^"), fc.array(alternative, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "$"))
      .map(([start, alternatives, end]) => `${start}(${alternatives.join("|")})${end}`);
    const name = fc
      .array(fc.constantFrom("Bash", "mcp__", "write", "_file", "a-b", "x"), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(matcher, alternative), name, (expression, tool) => {
        const read = readMatcher(expression, "codex");
        if ("why" in read || /^[\w|]*$/u.test(expression)) return;
        const isMatched = read.glob === null || new RegExp(compileMatcher(read.glob), "u").test(tool);
        expect(isMatched).toBe(new RegExp(expression, "u").test(tool));
      }),
    );
  });

  test.each([
    ["UserPromptSubmit", "prompt.submit", "enforcement"],
    ["Stop", "turn.stop", "observer"],
    ["SessionStart", "session.start", "observer"],
  ])("a hook on %s is one on %s", (event, canonical, policyKind) => {
    const imported = importOne(command("exit 0"), { event });
    expect(imported.handler).toMatchObject({ event: canonical, policyKind });
    const [reach] = imported.differences;
    expect(reach).toMatch(
      new RegExp(`^its event is ${canonical}; active on: (.*, )?claude-code( \\(.*\\))?, codex.*, polytoken`, "u"),
    );
  });

  test.each<[owner: "claude" | "codex", event: string, said: RegExp[]]>([
    [
      "codex",
      "Stop",
      [/8 times in a row/u, /`additionalContext` that it prints keeps the turn going; Codex drops it/u],
    ],
    ["claude", "Stop", [/8 times in a row/u]],
    ["codex", "PreToolUse", [/keeps it from answering blocks/u, /an `ask` asks a person.*Codex makes the call/u]],
    ["claude", "PreToolUse", [/keeps it from answering blocks/u]],
  ])("the report of a hook of %s on %s says how its answers are read otherwise", (owner, event, said) => {
    const root = writeTree(temporaryFolder(), {
      "hooks.json": JSON.stringify({ hooks: { [event]: [{ hooks: [command("sh check.sh", { timeout: 5 })] }] } }),
      "check.sh": CHECK,
    });
    const { differences } = importSettings(path.join(root, "hooks.json"), {
      owner,
      describeReach: describeEventCoverage,
    });
    expect(differences.map(({ what }) => what).slice(1)).toEqual(said.map((text) => expect.stringMatching(text)));
  });

  test("a server is asked over HTTP", () => {
    const imported = importOne({ type: "http", url: "https://hooks.example/a", headers: { "x-a": "b" }, timeout: 2 });
    expect(imported.handler).toMatchObject({
      timeoutMs: 2_000,
      handler: { type: "http", url: "https://hooks.example/a", headers: { "x-a": "b" } },
    });
    expect(imported.capabilities).toEqual(["net"]);
  });

  test("what the agent ignores is ignored", () => {
    const marked = command(".claude/hooks/check.sh", { _comment: "mine", __mark__: true, shell: "bash" });
    expect(importOne(marked).handler).toMatchObject({ policyKind: "enforcement", handler: { script: "check.sh" } });
    const root = writeTree(temporaryFolder(), {
      "settings.json": JSON.stringify({
        hooks: { Stop: [{ description: "x", _comment: "y", hooks: [command("true")] }] },
      }),
    });
    expect(importSettings(root, { owner: "claude", describeReach: describeEventCoverage }).hooks).toHaveLength(1);
  });

  test("with `args` it starts a program, and a script among them comes into the card", () => {
    const exec = {
      type: "command",
      command: "bash",
      args: [`${braced("CLAUDE_PROJECT_DIR")}/.claude/hooks/check.sh`, "a"],
    };
    expect(importOne(exec).handler.handler).toEqual({
      type: "command",
      command: "bash",
      script: "check.sh",
      args: ["a"],
    });
    const line = importOne({ type: "command", command: "guard", args: ["it's", "$x"] }).handler.handler.args[1];
    expect(execFileSync("sh", ["-c", line.replace("guard", "printf '%s\\n'")], { encoding: "utf8" })).toBe(
      "it's\n$x\n",
    );
  });

  test("spaces in the path of a script, or in its arguments, lead to no other script", () => {
    const root = temporaryFolder();
    const spaced = `${braced("CLAUDE_PROJECT_DIR")}/my guard.sh`;
    const started = [
      command('bash "my guard.sh"'),
      command(`"${PROJECT}/my guard.sh"`),
      command(spaced, { args: ["rm -rf", ""] }),
      command("my guard.sh", { args: [] }),
    ];
    writeTree(root, {
      my: "#!/bin/bash\nexit 0\n",
      "my guard.sh": CHECK,
      "settings.json": JSON.stringify({ hooks: { PreToolUse: [{ hooks: started }] } }),
    });
    const { hooks } = importSettings(root, { owner: "claude", describeReach: describeEventCoverage });
    const handlers = hooks.map(({ files }) => JSON.parse(String(files?.["handler.json"])).handler);
    const carried = { type: "command", command: "bash", script: "my-guard.sh" };
    expect(handlers).toEqual([
      { ...carried, args: [] },
      { ...carried, args: [] },
      { ...carried, args: ["rm -rf", ""] },
      { type: "command", command: "sh", args: ["-c", "'my guard.sh'"] },
    ]);
  });

  test("a folder that stands for a variable stands for it anywhere in a word of `args`", () => {
    const folder = braced("CLAUDE_PROJECT_DIR");
    const { handler } = importOne(command("guard", { args: [`--root=${folder}/it's`, `${folder}/a b`] }));
    const line = handler.handler.args[1].replace("guard", "printf '%s\\n'");
    const env = { PATH: process.env["PATH"], CLAUDE_PROJECT_DIR: "/p q" };
    expect(execFileSync("sh", ["-c", line], { encoding: "utf8", env })).toBe("--root=/p q/it's\n/p q/a b\n");
  });

  test.each([
    ["uv run .claude/hooks/guard.py", "`uv run` starts it; in a card the first `python3` that is found runs it"],
    [
      ".venv/bin/python .claude/hooks/guard.py",
      "`.venv/bin/python` starts it; in a card the first `python` that is found runs it",
    ],
    ["/usr/bin/python3 .claude/hooks/guard.py", undefined],
  ])("what runs the script of `%s` in a card is said", (text, note) => {
    const root = temporaryFolder();
    writeTree(root, {
      ".claude/hooks/guard.py": "pass\n",
      ".claude/settings.json": JSON.stringify({ hooks: { PreToolUse: [{ hooks: [command(text)] }] } }),
    });
    const { hooks, differences } = importSettings(root, { owner: "claude", describeReach: describeEventCoverage });
    expect(Object.keys(hooks[0]?.files ?? {})).toContain("guard.py");
    expect(differences.map(({ what }) => what).find((what) => what.includes("in a card the first"))).toBe(note);
  });

  test("a plugin's hooks start only its own scripts, by its own variable", () => {
    const root = temporaryFolder();
    const started = ["bash check.sh", `bash ${PROJECT}/check.sh`, "bash $CLAUDE_PLUGIN_ROOT/check.sh"];
    writeTree(root, {
      "check.sh": CHECK,
      "hooks/hooks.json": JSON.stringify({ hooks: { PreToolUse: [{ hooks: started.map((text) => command(text)) }] } }),
    });
    const { hooks } = importSettings(root, { owner: "claude", describeReach: describeEventCoverage });
    expect(hooks.map(({ files }) => Object.keys(files ?? {}).slice(1))).toEqual([[], [], ["check.sh"]]);
  });

  test("in the background it observes", () => {
    const imported = importOne(command(".claude/hooks/check.sh", { async: true }));
    expect(imported.handler.policyKind).toBe("observer");
    expect(imported.differences).toContainEqual(expect.stringContaining("its answer holds nothing"));
  });

  test("hooks of a plugin bring their scripts, also of `uv run`, if these name no packages", async () => {
    const host = testHost();
    const card = sourceWith();
    const plugin = braced("CLAUDE_PLUGIN_ROOT");
    writeTree(host.cwd, {
      "plugin/hooks/hooks.json": JSON.stringify({
        description: "a plugin",
        hooks: {
          PreToolUse: [
            {
              hooks: [
                command(`${plugin}/hooks/guard.sh`),
                command(`uv run ${plugin}/plain.py`),
                command(`uv run "${plugin}/packages.py"`),
              ],
            },
          ],
        },
      }),
      "plugin/hooks/guard.sh": CHECK,
      "plugin/plain.py": "pass\n",
      "plugin/packages.py": "# /// script\n# dependencies = []\n# ///\n",
    });
    await importPolicies(host, card, { file: "plugin/hooks/hooks.json", from: undefined, dryRun: false });
    const hooks = path.join(card, "hooks");
    const kept = fs.readdirSync(hooks).map((name) => [name, fs.readdirSync(path.join(hooks, name)).sort()]);
    expect(kept).toEqual([
      ["guard", ["README.md", "guard.sh", "handler.json", "imported.json"]],
      ["plain", ["README.md", "handler.json", "imported.json", "plain.py"]],
      ["uv", ["README.md", "handler.json", "imported.json"]],
    ]);
  });

  test.each<[string, object, { event?: string; matcher?: string }, RegExp]>([
    ["an event of one system alone", command("true"), { event: "CwdChanged" }, /no card has hooks on CwdChanged/u],
    [
      "a matcher that no glob says",
      command("true"),
      { matcher: "Bash(?!x)" },
      /is a regular expression that no glob can express/u,
    ],
    ["a prompt", { type: "prompt", prompt: "?" }, {}, /no card has handlers of type "prompt"/u],
    ["a field that narrows it", command("true", { if: "Bash(git *)" }), {}, /a card has nothing like its field `if`/u],
    ["a line for PowerShell", command("exit 0", { shell: "powershell" }), {}, /written for the shell "powershell"/u],
    ["a timeout that is none", command("true", { timeout: "5" }), {}, /its timeout isn't a number/u],
    ["no command", { type: "command" }, {}, /it has no command/u],
    ["headers with variables", { type: "http", url: "https://a.b/", headers: { a: "$T" } }, {}, /variables/u],
    ["an entry of drwn's", command("'/h/bin/hook' claude-code pre"), {}, /it asks drwn/u],
    ["one that drwn made elsewhere", command("/h/bin/hook", { args: ["claude-code", "pre"] }), {}, /it asks drwn/u],
  ])("%s is not imported, and that is said", (_, handler, group, why) => {
    const imported = importOne(handler, group);
    expect(imported.handler).toBeUndefined();
    expect(imported.differences).toEqual([expect.stringMatching(why)]);
  });

  test.each<[string, unknown, RegExp]>([
    ["hooks that are a list", { hooks: [] }, /`hooks` should be an object/u],
    ["a group that is none", { hooks: { Stop: ["x"] } }, /`hooks\.Stop\[0\]` should be an object/u],
    ["handlers that are no list", { hooks: { Stop: [{ hooks: {} }] } }, /`hooks\.Stop\[0\]\.hooks` should be a list/u],
  ])("%s is refused with its place", (_, value, why) => {
    const root = writeTree(temporaryFolder(), { "hooks.json": JSON.stringify(value) });
    expect(() => importSettings(root, { owner: "codex", describeReach: describeEventCoverage })).toThrow(why);
  });

  test("what is imported passes the checks of a source", async () => {
    const host = testHost();
    const card = sourceWith();
    writeTree(host.cwd, {
      ".codex/hooks.json": JSON.stringify({
        hooks: { PreToolUse: [{ hooks: [command("./guard.sh"), command("exit 0")] }] },
      }),
      "guard.sh": CHECK,
    });
    const report = await importPolicies(host, card, { file: ".codex/hooks.json", from: undefined, dryRun: false });
    expect(report.hooks.map(({ name }) => name)).toEqual(["guard", "exit"]);
    const { findings, index } = await inspectSource(card);
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(index?.hooks.map(({ name, capabilities, files }) => [name, capabilities, files.length])).toEqual([
      ["guard", ["env", "exec"], 2],
      ["exit", ["env", "exec"], 1],
    ]);
  });
});
