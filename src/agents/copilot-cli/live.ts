import type { LiveRequest, LiveRun } from "../../wiring/target.ts";
import { CHAT_COMPLETIONS } from "../live/chat-completions.ts";
import { runAgent } from "../live/run-agent.ts";
import { startScriptedModel } from "../live/scripted-model.ts";

/** One turn of the user's own Copilot CLI in a home of its own, in a folder that it trusts, with a model that this process plays. */
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
        // Only this very word trusts the folder, too, without which it loads no hooks.
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
