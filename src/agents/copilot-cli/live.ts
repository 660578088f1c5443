import type { LiveRequest, LiveRun } from "../../wiring/target.ts";
import { CHAT_COMPLETIONS } from "../live/chat-completions.ts";
import { runAgent } from "../live/run-agent.ts";
import { startScriptedModel } from "../live/scripted-model.ts";

/**
 * Runs one turn of the user's own Copilot CLI in a separate home and a folder that it trusts; this process plays its
 * model.
 */
export async function runCopilotLive({ env, home, project, commands }: LiveRequest): Promise<LiveRun> {
  const model = await startScriptedModel(CHAT_COMPLETIONS, commands);
  try {
    return await runAgent({
      program: "copilot",
      args: ["-p", "go", "--model", "drwn-model"],
      cwd: project,
      env: {
        ...(env["PATH"] === undefined ? {} : { PATH: env["PATH"] }),
        HOME: home,
        // Only this exact value also trusts the folder. Copilot CLI loads no hooks in a folder that it doesn't trust.
        COPILOT_ALLOW_ALL: "true",
        COPILOT_AUTO_UPDATE: "false",
        COPILOT_MODEL: "drwn-model",
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_API_KEY: "none",
        COPILOT_PROVIDER_BASE_URL: `${model.url}/v1`,
        COPILOT_PROVIDER_TYPE: "openai",
        NO_COLOR: "1",
      },
    });
  } finally {
    await model.close();
  }
}
