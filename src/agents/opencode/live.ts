import path from "node:path";
import type { LiveRequest, LiveRun } from "../../wiring/target.ts";
import { CHAT_COMPLETIONS } from "../live/chat-completions.ts";
import { runAgent } from "../live/run-agent.ts";
import { startScriptedModel } from "../live/scripted-model.ts";

/** Runs one turn of the user's own OpenCode in a separate home, with a model that this process plays. */
export async function runOpencodeLive({ env, home, project, commands }: LiveRequest): Promise<LiveRun> {
  const model = await startScriptedModel(CHAT_COMPLETIONS, commands);
  try {
    return await runAgent({
      program: "opencode",
      args: ["run", "go"],
      cwd: project,
      env: {
        ...(env["PATH"] === undefined ? {} : { PATH: env["PATH"] }),
        HOME: home,
        XDG_CACHE_HOME: path.join(home, "cache"),
        XDG_DATA_HOME: path.join(home, "data"),
        XDG_STATE_HOME: path.join(home, "state"),
        // OpenCode would fetch its library for plugins, which drwn's plugin doesn't need.
        npm_config_offline: "true",
        OPENCODE_CONFIG_CONTENT: JSON.stringify(settingsFor(model.url)),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
      },
    });
  } finally {
    await model.close();
  }
}

/** OpenCode brings the library for such a provider with it. */
function settingsFor(url: string): object {
  const drwn = {
    npm: "@ai-sdk/openai-compatible",
    name: "drwn",
    options: { baseURL: `${url}/v1`, apiKey: "none" },
    models: { model: { name: "model", tool_call: true } },
  };
  return { model: "drwn/model", autoupdate: false, provider: { drwn } };
}
