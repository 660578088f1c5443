import type { LiveRequest, LiveRun } from "../../wiring/target.ts";
import { runAgent } from "../live/run-agent.ts";
import { startScriptedModel } from "../live/scripted-model.ts";
import { MESSAGES } from "./messages.ts";

/**
 * Runs one turn of the user's own Claude Code in a separate home. It cannot reach the user's settings, logins or
 * history, and this process plays its model.
 */
export async function runClaudeLive({ env, home, project, commands }: LiveRequest): Promise<LiveRun> {
  const model = await startScriptedModel(MESSAGES, commands);
  try {
    return await runAgent({
      program: "claude",
      args: ["-p", "go", "--model", "claude-sonnet-4-5", "--allowedTools", "Bash"],
      cwd: project,
      env: {
        ...(env["PATH"] === undefined ? {} : { PATH: env["PATH"] }),
        HOME: home,
        CLAUDE_CONFIG_DIR: `${home}/.claude`,
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: "none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
      },
    });
  } finally {
    await model.close();
  }
}
