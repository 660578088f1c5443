import fs from "node:fs";
import path from "node:path";
import type { LiveRequest, LiveRun } from "../../wiring/target.ts";
import { runAgent } from "../live/run-agent.ts";
import { startScriptedModel } from "../live/scripted-model.ts";
import { RESPONSES } from "./responses.ts";

/**
 * Runs one turn of the user's own Codex in a separate home, with a model that this process plays. Hooks run there as if
 * a person had trusted them; `write` and `doctor` ask Codex whether the user has.
 */
export async function runCodexLive({ env, home, project, commands }: LiveRequest): Promise<LiveRun> {
  const model = await startScriptedModel(RESPONSES, commands);
  const codexHome = path.join(home, ".codex");
  try {
    fs.mkdirSync(codexHome, { recursive: true });
    fs.writeFileSync(path.join(codexHome, "config.toml"), configFor(model.url, project));
    return await runAgent({
      program: "codex",
      args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-m", "drwn-model", "go"],
      cwd: project,
      env: {
        ...(env["PATH"] === undefined ? {} : { PATH: env["PATH"] }),
        HOME: home,
        CODEX_HOME: codexHome,
        DRWN_MODEL_KEY: "none",
        RUST_LOG: "error",
      },
    });
  } finally {
    await model.close();
  }
}

/** Codex's own sandbox is off, so that only a hook can stop a command. */
function configFor(url: string, project: string): string {
  return `model = "drwn-model"
model_provider = "drwn"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.drwn]
name = "drwn"
base_url = ${JSON.stringify(`${url}/v1`)}
wire_api = "responses"
env_key = "DRWN_MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0

[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`;
}
