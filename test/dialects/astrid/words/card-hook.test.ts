import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  type AstridHook,
  astridHook,
  command,
  type FailAction,
  type ToolEvent,
  wasm,
} from "../../../../src/dialects/astrid/words/index.ts";
import { importPolicies } from "../../../../src/operations/author/import-policies.ts";
import { publishCard } from "../../../../src/operations/author/publish.ts";
import { addCards } from "../../../../src/operations/project/add.ts";
import type { ToolPolicyEvent } from "../../../../src/policy/event.ts";
import { sourceWith, temporaryFolder, writeTree } from "../../../support/cards.ts";
import { userSettings } from "../../../support/machine-state.ts";
import { newProject, trust, write } from "../../../support/projects.ts";
import { extismModule, say } from "../../../support/wasm-modules.ts";
import { handlerToml, hookToml } from "../world.ts";

const EVENT: ToolPolicyEvent = {
  runtime: "claude-code",
  phase: "pre-tool",
  toolName: "mcp__git__status",
  input: { path: "." },
  sessionId: "s1",
};

function ask(
  script: string,
  parts: Partial<AstridHook & { event: ToolEvent }> = {},
  event: Partial<ToolPolicyEvent> = {},
) {
  const cwd = temporaryFolder();
  const handler = command({ command: "sh", args: ["-c", script] });
  const policy = astridHook({ name: "guard", event: "pre_tool_call", handler, ...parts });
  return { cwd, decision: Promise.resolve(policy.beforeToolCall?.({ ...EVENT, cwd, ...event })), policy };
}

describe("a hook of Astrid's in a card", () => {
  test.each([
    ["continue", "echo continue", undefined],
    ["block", "echo 'block: No'", { action: "deny", reason: "No" }],
    ["block, and not why", "echo block:", { action: "deny", reason: "the hook gave no reason" }],
    ["ask, and not what", "echo ask:", { action: "ask", reason: "the hook gave no reason" }],
    ["ask", "echo 'ask: Sure?'", { action: "ask", reason: "Sure?" }],
    [
      "changed arguments",
      `echo '{"action":"continue_with","modifications":{"arguments":{"path":"a"},"x":1}}'`,
      { action: "allow", updatedInput: { path: "a" } },
    ],
    ["something else that is changed", `echo '{"action":"continue_with","modifications":{"x":1}}'`, undefined],
    ["a failure that warns", "exit 1", { action: "log-only" }],
  ])("decides as its handler says: %s", async (_, script, decision) => {
    expect(await ask(script).decision).toEqual(decision);
  });

  test("a failure that blocks is the policy's own, and so denies", async () => {
    const { decision } = ask("echo why >&2; exit 3", { failAction: "block" });
    await expect(decision).rejects.toThrow("hook guard failed: Command exited with code 3: why");
  });

  test("gets the event as Astrid hands it out, in the folder of the session", async () => {
    const { cwd, decision } = ask("cat > notes");
    await decision;
    expect(JSON.parse(fs.readFileSync(path.join(cwd, "notes"), "utf8"))).toMatchObject({
      event: "pre_tool_call",
      session_id: "s1",
      data: { tool_name: "status", server_name: "git", arguments: { path: "." } },
    });
  });

  test.each<[AstridHook["matcher"], string | undefined, boolean]>([
    [{ type: "tool_names", names: ["status"] }, "status|mcp__*__status", true],
    [{ type: "tool_names", names: ["statu"] }, "statu|mcp__*__statu", false],
    [{ type: "server_names", names: ["git"] }, "mcp__git__*", true],
    [{ type: "server_names", names: ["builtin"] }, undefined, false],
    [{ type: "glob", pattern: "mcp__*" }, "mcp__*|mcp__*__mcp__*", false],
    [{ type: "glob", pattern: "s*" }, "s*|mcp__*__s*|Bash", true],
    [{ type: "glob", pattern: "{status,log}" }, undefined, true],
    [{ type: "regex", pattern: "^stat" }, undefined, true],
  ])("is about the tools of %j", async (matcher, glob, isAsked) => {
    const { decision, policy } = ask("echo block:", matcher === undefined ? {} : { matcher });
    expect(policy.matcher).toBe(glob);
    expect((await decision) !== undefined).toBe(isAsked);
  });

  test("a module decides without a process of its own", async () => {
    const bytes = extismModule({ functions: { handle: say('{"action":"block","data":"wasm"}') } });
    const handler = wasm({ module: Buffer.from(bytes).toString("base64") });
    expect(await ask("", { handler }).decision).toEqual({ action: "deny", reason: "wasm" });
    const broken = wasm({ module: "AAAA" });
    await expect(ask("", { handler: broken, failAction: "block" }).decision).rejects.toThrow("hook guard failed");
  });

  test("after a call its failures are noted, and failed calls are for tool_error", async () => {
    const after = { ...EVENT, phase: "post-tool" as const };
    const failed = { ...after, error: { name: "Error", message: "no" } };
    const { policy } = ask("exit 1", { event: "tool_error" });
    expect(policy).toMatchObject({ policyKind: "observer" });
    await expect(policy.afterToolCall?.(after)).resolves.toBeUndefined();
    await expect(policy.afterToolCall?.(failed)).rejects.toThrow("Command exited with code 1");
  });
});

const HELD = { action: "deny", reason: "No" };

describe("a hook of Astrid's on a lifecycle event", () => {
  const answerTo = (event: AstridHook["event"], script: string, input: object, failAction: FailAction = "warn") => {
    const handler = command({ command: "sh", args: ["-c", script] });
    const hook = astridHook({ name: "guard", event, handler, failAction });
    if (!("run" in hook)) throw new Error("it is a policy");
    const cwd = temporaryFolder();
    const answer = Promise.resolve(hook.run({ runtime: "runner", event: hook.event, input, cwd } as never));
    return { hook, cwd, answer };
  };

  test.each<[AstridHook["event"], string, object, unknown]>([
    ["user_prompt", "echo 'block: No'", { prompt: "x" }, { action: "reject", reason: "No" }],
    ["user_prompt", "echo 'ask: Sure?'", { prompt: "x" }, { action: "ask", reason: "Sure?" }],
    ["user_prompt", "echo block:", { prompt: "x" }, { action: "reject", reason: "the hook gave no reason" }],
    ["user_prompt", "echo ask:", { prompt: "x" }, { action: "ask", reason: "the hook gave no reason" }],
    [
      "pre_compact",
      `echo '{"action":"block","reason":" "}'`,
      { trigger: "auto" },
      { action: "cancel", reason: "the hook gave no reason" },
    ],
    ["user_prompt", "echo continue", { prompt: "x" }, undefined],
    ["pre_compact", "echo 'block: No'", { trigger: "auto" }, { action: "cancel", reason: "No" }],
    ["notification", "echo 'block: No'", { message: "m" }, { action: "suppress", reason: "No" }],
    ["session_end", "echo 'block: No'", {}, undefined],
    [
      "session_start",
      `echo '{"action":"continue_with","modifications":{"context":"be brief"}}'`,
      {},
      { action: "proceed", additionalContext: "be brief" },
    ],
    [
      "message_send",
      `echo '{"action":"continue_with","modifications":{"content":"y"}}'`,
      { message: "x" },
      { action: "proceed", updatedInput: { message: "y" } },
    ],
  ])("%s: %s", async (event, script, input, answer) => {
    expect(await answerTo(event, script, input).answer).toEqual(answer);
  });

  test.each<[AstridHook["matcher"], object | undefined]>([
    [{ type: "server_names", names: ["github"] }, HELD],
    [{ type: "tool_names", names: ["status"] }, HELD],
    [{ type: "tool_names", names: ["mcp__github__status"] }, undefined],
    [{ type: "glob", pattern: "sta*" }, HELD],
    [{ type: "server_names", names: ["builtin"] }, undefined],
    [{ type: "tool_names", names: ["github"] }, undefined],
  ])("before an approval is about the tools of %j", async (matcher, answer) => {
    const handler = command({ command: "sh", args: ["-c", "echo 'block: No'"] });
    const hook = astridHook({ name: "guard", event: "pre_approval", handler, ...(matcher ? { matcher } : {}) });
    if (!("run" in hook)) throw new Error("it is a policy");
    const input = { toolName: "mcp__github__status", toolInput: {} };
    const cwd = temporaryFolder();
    expect(await hook.run({ runtime: "runner", event: hook.event, input, cwd } as never)).toEqual(answer);
  });

  test.each<[string, object]>([
    ["mcp__github__status", { tool_name: "status", server_name: "github" }],
    ["Bash", { tool_name: "shell", server_name: "builtin" }],
    ["Read", { tool_name: "Read", server_name: "builtin" }],
  ])("is told of %s by the names of the tool and of its server", async (toolName, names) => {
    const { cwd, answer } = answerTo("pre_approval", "cat > notes", { toolName, toolInput: { a: 1 } });
    await answer;
    const { data } = JSON.parse(fs.readFileSync(path.join(cwd, "notes"), "utf8"));
    expect(data).toEqual({ ...names, arguments: { a: 1 } });
  });

  test("what it changes of a result leaves the tool its name", async () => {
    const said = { tool_name: "status", server_name: "github", result: "redacted" };
    const script = `echo '${JSON.stringify({ action: "continue_with", modifications: said })}'`;
    const input = { toolName: "mcp__github__status", output: "secret" };
    expect(await answerTo("tool_result_persist", script, input).answer).toEqual({
      action: "proceed",
      updatedInput: { toolName: "mcp__github__status", output: "redacted" },
    });
  });

  test("gets the event under Astrid's names, and its failure counts as it says", async () => {
    const { cwd, hook, answer } = answerTo("user_prompt", "cat > notes; exit 1", { prompt: "hello" }, "block");
    await expect(answer).rejects.toThrow("Command exited with code 1");
    expect(hook).toMatchObject({ event: "prompt.submit", onFailure: "block", timeoutMs: 30_000 });
    const read = JSON.parse(fs.readFileSync(path.join(cwd, "notes"), "utf8"));
    expect(read).toMatchObject({ event: "user_prompt", data: { input: "hello" } });
    expect(answerTo("user_prompt", "exit 1", { prompt: "x" }, "ignore").hook).toMatchObject({ onFailure: "proceed" });
    expect(await answerTo("user_prompt", "exit 1", { prompt: "x" }, "ignore").answer).toBeUndefined();
  });
});

test("imported hooks decide in the real hook: a command, a server, and a module", async () => {
  const host = newProject();
  const source = sourceWith();
  const tools = (name: string) => ({ matcher: { type: "tool_names", names: [name] }, fail_action: "block", name });
  writeTree(host.cwd, {
    ".astrid/hooks/a/HOOK.toml": hookToml(
      `case "$ASTRID_HOOK_DATA" in *rm*) echo 'block: rm blocked';; *) echo continue;; esac`,
      tools("shell"),
    ),
    ".astrid/hooks/b/HOOK.toml": handlerToml({ type: "http", url: "http://127.0.0.1:1/" }, tools("WebFetch")),
    ".astrid/hooks/c/HOOK.toml": handlerToml({ type: "wasm", module_path: "m.wasm" }, tools("Read")),
  });
  const module = extismModule({ functions: { handle: say('{"action":"block","data":"by the module"}') } });
  fs.writeFileSync(path.join(host.cwd, "m.wasm"), module);
  await importPolicies(host, source, { file: ".astrid", from: undefined, dryRun: false });
  await publishCard(host, { source, key: null, dryRun: false });
  await addCards(host, ["@me/backend"]);
  await trust(host);
  await write(host);
  const [entry] = JSON.parse(fs.readFileSync(userSettings(host), "utf8")).hooks.PreToolUse;
  const reasonFor = (tool: string, input: object) => {
    const event = { hook_event_name: "PreToolUse", tool_name: tool, tool_input: input, cwd: host.cwd, session_id: "s" };
    const { stdout, stderr } = spawnSync(entry.hooks[0].command, entry.hooks[0].args, {
      cwd: host.cwd,
      env: { PATH: process.env["PATH"], HOME: host.home, CLAUDE_PROJECT_DIR: host.cwd },
      input: JSON.stringify(event),
      encoding: "utf8",
      timeout: 50_000,
    });
    expect(stderr).toBe("");
    return stdout === "" ? null : JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason;
  };
  expect(reasonFor("Bash", { command: "rm -r build" })).toContain("rm blocked");
  expect(reasonFor("Bash", { command: "ls" })).toBeNull();
  expect(reasonFor("WebFetch", { url: "https://a/" })).toContain("ECONNREFUSED");
  expect(reasonFor("Read", { file_path: "a" })).toContain("by the module");
});
