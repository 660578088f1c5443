import fs from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { type ModelRun, type Subscript, startMockModel } from "./mock-model.ts";
import { type ProcessRequest, runProcess } from "./process.ts";
import type { Step } from "./wire-format.ts";
import type { World } from "./world.ts";

export interface ClaudeRun extends ModelRun {
  code: number | null;
  stderr: string;
  /** The documents of `--output-format stream-json`. */
  events: Record<string, unknown>[];
}

interface ClaudeRequest {
  steps: readonly Step[];
  subagent?: Subscript;
  /** Where the session starts; the project by default. */
  cwd?: string;
  /** More words of the command line. */
  args?: readonly string[];
  /** What the user types. */
  prompt?: string;
}

/** Runs one whole `claude -p` turn of the real program against the scripted model. It may use its tools. */
export async function runClaude(
  world: World,
  { steps, subagent, cwd = world.project, prompt = "go", args = [] }: ClaudeRequest,
): Promise<ClaudeRun> {
  const model = await startMockModel(steps, subagent);
  try {
    const flags = ["--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose"];
    const { code, stdout, stderr } = await runProcess(
      world.session({
        program: world.programs["claude"] ?? inject("claude"),
        args: ["-p", prompt, ...flags, "--allowedTools", "Bash,Read,Write,Edit", ...args],
        cwd,
        env: claudeEnv(world, model.url),
      }),
    );
    return { code, stderr, events: parseLines(stdout), ...model.seen() };
  } finally {
    await model.close();
  }
}

/**
 * The command that starts the program in a person's terminal, in a folder that the person trusts, with its first
 * prompt.
 */
export function claudeInTerminal(world: World, url: string): ProcessRequest {
  const asked = { hasCompletedOnboarding: true, theme: "dark", projects: { [world.project]: TRUSTED } };
  const keys = { customApiKeyResponses: { approved: [API_KEY], rejected: [] } };
  fs.mkdirSync(path.join(world.home, ".claude"), { recursive: true });
  fs.writeFileSync(path.join(world.home, ".claude", ".claude.json"), JSON.stringify({ ...asked, ...keys }));
  const args = ["--model", "claude-sonnet-4-5", "--allowedTools", "Bash", "--", "go"];
  return { program: inject("claude"), args, cwd: world.project, env: claudeEnv(world, url) };
}

const API_KEY = "sk-ant-mock";
const TRUSTED = { hasTrustDialogAccepted: true };

function claudeEnv(world: World, url: string): Record<string, string> {
  return {
    ...world.env,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: API_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
}

/** Each command in a separate call, then the end of the turn. */
export function bash(...commands: string[]): Step[] {
  const calls = commands.map((command) => ({ tool: "Bash", input: { command, description: "a step of the script" } }));
  return [...calls, { text: "done" }];
}

function parseLines(text: string): Record<string, unknown>[] {
  return text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
}
