import { inject } from "vitest";
import { startMockModel, type Turn } from "./mock-model.ts";
import { runProcess } from "./process.ts";
import type { Step } from "./wire-format.ts";
import type { World } from "./world.ts";

export interface ClaudeRun {
  code: number | null;
  stderr: string;
  /** The documents of `--output-format stream-json`. */
  events: Record<string, unknown>[];
  /** The requests of the conversation itself. */
  turns: Turn[];
  /** What the model was told about each tool call, from the last request's history. */
  results: Turn["results"];
}

interface ClaudeRequest {
  steps: readonly Step[];
  /** Where the session starts, the project by default. */
  cwd?: string;
}

/** One whole `claude -p` turn of the real program, against the scripted model. It has permission to use its tools. */
export async function runClaude(world: World, { steps, cwd = world.project }: ClaudeRequest): Promise<ClaudeRun> {
  const model = await startMockModel(steps);
  try {
    const flags = ["--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose"];
    const { code, stdout, stderr } = await runProcess({
      program: inject("claude"),
      args: ["-p", "go", ...flags, "--allowedTools", "Bash,Read,Write,Edit"],
      cwd,
      env: {
        ...world.env,
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: "sk-ant-mock",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
      },
    });
    const turns = model.turns.filter(({ isSide }) => !isSide);
    return { code, stderr, events: parseLines(stdout), turns, results: turns.at(-1)?.results ?? [] };
  } finally {
    await model.close();
  }
}

/** Each command as a call of its own, then the end of the turn. */
export function bash(...commands: string[]): Step[] {
  const calls = commands.map((command) => ({ tool: "Bash", input: { command, description: "a step of the script" } }));
  return [...calls, { text: "done" }];
}

function parseLines(text: string): Record<string, unknown>[] {
  return text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
}
