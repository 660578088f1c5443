import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { publishCard } from "../../src/operations/author/publish.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { sourceWith, temporaryFolder, writeTree } from "../support/cards.ts";
import { userSettings } from "../support/machine-state.ts";
import { newProject, trust, write } from "../support/projects.ts";

interface Answer {
  permissionDecision?: string;
  permissionDecisionReason?: string;
  updatedInput?: Record<string, unknown>;
  additionalContext?: string;
}

interface Armed {
  /** Sends a call through the command in the agent's settings; undefined is silence. */
  call: (tool: string, input: Record<string, unknown>, env?: Record<string, string>) => Answer | undefined;
  /** What a program on PATH has noted. */
  noted: (file: string) => string;
}

interface Armament {
  parts: string;
  capabilities: string[];
  /** Shell scripts on PATH, by name; `$NOTES` is a folder to write into. */
  programs?: Record<string, string>;
  /** Files of the project. */
  files?: Record<string, string>;
}

/** Takes one policy from its source through packing, publishing, consent and `write` into the agent's settings. */
async function arm({ parts, capabilities, programs = {}, files = {} }: Armament): Promise<Armed> {
  const notes = temporaryFolder();
  const host = newProject();
  writeTree(host.cwd, files);
  for (const [name, script] of Object.entries(programs)) {
    const text = `#!/bin/sh\nNOTES=${notes}\n${script}\n`;
    fs.writeFileSync(path.join(notes, name), text, { mode: 0o755 });
  }
  const policy = `import { matchConstants, policy } from "darwinian-minds/hook-policy/helpers";
    export default policy("Style", ${parts});`;
  const manifest = { hooks: { include: ["style"], capabilities: { style: capabilities } } };
  await publishCard(host, { source: sourceWith({ hooks: { style: policy }, manifest }), key: null, dryRun: false });
  await addCards(host, ["@me/backend"]);
  await trust(host);
  await write(host);
  const [entry] = JSON.parse(fs.readFileSync(userSettings(host), "utf8")).hooks.PreToolUse;
  const call: Armed["call"] = (tool, input, env) => {
    const event = { hook_event_name: "PreToolUse", tool_name: tool, tool_input: input, cwd: host.cwd, session_id: "s" };
    const { status, stdout, stderr } = spawnSync(entry.hooks[0].command, entry.hooks[0].args, {
      cwd: host.cwd,
      env: { PATH: `${notes}:${process.env["PATH"]}`, HOME: host.home, CLAUDE_PROJECT_DIR: host.cwd, ...env },
      input: JSON.stringify(event),
      encoding: "utf8",
      timeout: 50_000,
    });
    if (status !== 0) throw new Error(`the hook ended with ${status}: ${stderr}`);
    return stdout === "" ? undefined : JSON.parse(stdout).hookSpecificOutput;
  };
  return { call, noted: (file) => fs.readFileSync(path.join(notes, file), "utf8") };
}

const FORCE = { command: "git -C . push -fu origin main" };

test("a gate on a match constant denies in the real hook, and needs no capability", async () => {
  const { call } = await arm({
    parts: `{ on: { tool: "Bash", match: matchConstants.git_push_force }, gate: "Force push is not allowed." }`,
    capabilities: [],
  });
  expect(call("Bash", FORCE)).toMatchObject({
    permissionDecision: "deny",
    permissionDecisionReason: "[@me/backend#style] Force push is not allowed.",
  });
  expect(call("Bash", { command: "git push && rm -f x" })).toBeUndefined();
  expect(call("Bash", { command: "git push -f 'unclosed" })).toMatchObject({ permissionDecision: "deny" });
});

test("a transform calls claude with the project's files, and its answer takes the place of the command", async () => {
  const { call, noted } = await arm({
    parts: `{ on: { tool: "Bash", match: matchConstants.git_commit },
      transform: { context: "docs/STYLE.md", prompt: "Fix the message.", model: "haiku" } }`,
    capabilities: ["exec", "fs-read"],
    programs: {
      claude: `echo "$@" > $NOTES/args; cat > $NOTES/input; echo "claude=$CLAUDECODE" > $NOTES/env; echo '\`\`\`sh'; echo "git commit -m 'fix: x'"; echo '\`\`\`'`,
    },
    files: { "docs/STYLE.md": "be brief" },
  });
  expect(call("Bash", { command: "git commit -m x", timeout: 9 }, { CLAUDECODE: "1" })).toEqual({
    hookEventName: "PreToolUse",
    updatedInput: { command: "git commit -m 'fix: x'", timeout: 9 },
  });
  expect(noted("args")).toBe("-p --model haiku\n");
  expect(noted("env")).toBe("claude=\n");
  expect(noted("input")).toContain("<context>\n<STYLE.md>\nbe brief\n</STYLE.md>\n</context>\n\n<current_input>\n{");
  expect(noted("input")).toContain("<instructions>\nFix the message.\n</instructions>");
  expect(call("Bash", { command: "git status" })).toBeUndefined();
});

/** How a model's program can fail, depending on a word in the question. */
const FAILURES = `case $(cat) in
  *fails*) echo no credit >&2; exit 4;;
  *hangs*) exec sleep 60;;
  *dies*) kill -9 $$;;
  *prose*) echo 'I think that it does.';;
  *endless*) exec yes;;
esac`;

test("a transform whose claude fails denies the call and says why", async () => {
  const { call } = await arm({
    parts: `{ on: { tool: "Bash" }, timeoutMs: 5000, transform: { prompt: "x" } }`,
    capabilities: ["exec"],
    programs: { claude: FAILURES },
  });
  const cases: [string, string, Record<string, string>?][] = [
    ["fails", "`claude` ended with 4: no credit"],
    // The helper says this, or on a busy machine the hook does.
    ["hangs", "did not finish"],
    ["dies", "`claude` ended with SIGKILL"],
    ["endless", "`claude` printed more than 4194304 bytes"],
    ["silent", "the model answered nothing"],
    ["missing", "`claude` was not found", { PATH: "/usr/bin:/bin" }],
  ];
  for (const [command, message, env] of cases) {
    const answer = call("Bash", { command }, env);
    expect([command, answer?.permissionDecision]).toEqual([command, "deny"]);
    expect(answer?.permissionDecisionReason).toMatch(/^\[@me\/backend#style\]/u);
    expect(answer?.permissionDecisionReason).toContain(message);
  }
});

test("a condition asks ollama, and a policy it does not apply to has no opinion", async () => {
  const { call, noted } = await arm({
    parts: `{ on: { tool: "Bash" }, whenPrompt: { condition: "It deletes data.", model: "llama3:8b" }, gate: "no" }`,
    capabilities: ["exec"],
    programs: {
      ollama: `echo "$@" > $NOTES/args; cat > $NOTES/input; grep -q 'Input: rm' $NOTES/input && echo 'Yes.' || echo no`,
    },
  });
  expect(call("Bash", { command: "rm x" })?.permissionDecision).toBe("deny");
  expect(noted("args")).toBe("run llama3:8b\n");
  expect(noted("input")).toBe(
    'You are a classifier. Respond with exactly "yes" if the following condition applies to the input. Otherwise respond ' +
      '"no". Output only "yes" or "no".\n\nCondition: It deletes data.\n\nInput: rm x',
  );
  expect(call("Bash", { command: "ls" })).toBeUndefined();
});

test("a condition whose ollama fails denies the call and says why", async () => {
  const { call } = await arm({
    parts: `{ on: { tool: "Bash" }, whenPrompt: "It deletes data.", gate: "no" }`,
    capabilities: ["exec"],
    programs: { ollama: FAILURES },
  });
  for (const [command, message] of [
    ["fails", "`ollama` ended with 4: no credit"],
    ["prose", "the classifier answered neither yes nor no"],
    ["silent", "the classifier answered neither yes nor no"],
  ] as const) {
    expect(call("Bash", { command })?.permissionDecisionReason).toContain(message);
  }
});

test("a condition asks the classifier of SCREEN_HOME where the policy may see that variable", async () => {
  const parts = `{ on: { tool: "Write" }, whenPrompt: "It is odd.", inject: { command: "echo careful" } }`;
  const screen = writeTree(temporaryFolder(), { "bin/classify": `#!/bin/sh\ncat > "$SCREEN_HOME/input"\necho yes\n` });
  fs.chmodSync(path.join(screen, "bin/classify"), 0o755);
  const input = { file_path: "/a", content: "x" };
  const seeing = await arm({ parts, capabilities: ["env", "exec"] });
  expect(seeing.call("Write", input, { SCREEN_HOME: screen })?.additionalContext).toBe("careful");
  expect(JSON.parse(fs.readFileSync(path.join(screen, "input"), "utf8"))).toEqual({
    condition: "It is odd.",
    model: "gemma3:1b",
    ...input,
  });
  const blind = await arm({ parts, capabilities: ["exec"], programs: { ollama: "echo no" } });
  expect(blind.call("Write", input, { SCREEN_HOME: screen })).toBeUndefined();
});

test("an inject adds files of the project and what a command prints there", async () => {
  const { call } = await arm({
    parts: `{ inject: { files: ["RULES.md", { name: "CARD.md", text: "card" }], command: "pwd; cat RULES.md" } }`,
    capabilities: ["exec", "fs-read"],
    files: { "RULES.md": "rules", "sub/.keep": "" },
  });
  const context = call("Read", { file_path: "x" })?.additionalContext ?? "";
  expect(context).toMatch(
    /^<RULES\.md>\nrules\n<\/RULES\.md>\n\n<CARD\.md>\ncard\n<\/CARD\.md>\n\n\/.*\/project\nrules$/u,
  );
});

test.each<[string, string, string[], string]>([
  [
    "runs claude",
    `{ transform: { prompt: "x" } }`,
    ["fs-read"],
    "it runs claude, and its hook does not declare the capability exec",
  ],
  [
    "runs ollama",
    `{ whenPrompt: "x", gate: "no" }`,
    [],
    "it runs ollama, and its hook does not declare the capability exec",
  ],
  ["runs a command", `{ inject: { command: "ls" } }`, [], "it runs a command, and its hook does not declare"],
  [
    "reads a file",
    `{ inject: { files: ["A.md"] } }`,
    ["exec"],
    "it reads A.md, and its hook does not declare the capability fs-read",
  ],
])("a policy that %s without declaring it does not pack", async (_, parts, capabilities, message) => {
  await expect(arm({ parts, capabilities })).rejects.toMatchObject({
    code: "DRWN_POLICY_INVALID",
    message: expect.stringContaining(`policy "Style": ${message}`),
  });
});

test("functions in place of the models need no capability", async () => {
  const { call } = await arm({
    parts: `{ on: { tool: "Bash" }, whenPrompt: { condition: "x", model: async ({ input }) => input.length > 3 },
      transform: { prompt: "x", model: ({ event }) => event.toolName + "!" } }`,
    capabilities: [],
  });
  expect(call("Bash", { command: "ls -l" })?.updatedInput).toEqual({ command: "Bash!" });
  expect(call("Bash", { command: "ls" })).toBeUndefined();
});
