import fs from "node:fs";
import path from "node:path";
import { isObject } from "../../wiring/json-file.ts";
import type { LiveRequest, LiveRun } from "../../wiring/target.ts";
import { runAgent } from "../live/run-agent.ts";
import { startScriptedModel } from "../live/scripted-model.ts";
import { CONTENTS } from "./contents.ts";

/**
 * Runs one turn of the user's own Gemini CLI in a separate home and a folder that it trusts; this process plays its
 * model.
 */
export async function runGeminiLive({ env, home, project, commands }: LiveRequest): Promise<LiveRun> {
  const model = await startScriptedModel(CONTENTS, commands);
  try {
    chooseLogin(path.join(home, ".gemini", "settings.json"));
    return await runAgent({
      program: "gemini",
      args: ["-p", "go", "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "--skip-trust"],
      cwd: project,
      env: {
        ...(env["PATH"] === undefined ? {} : { PATH: env["PATH"] }),
        HOME: home,
        GEMINI_API_KEY: "none",
        GEMINI_TELEMETRY_ENABLED: "false",
        GOOGLE_GEMINI_BASE_URL: model.url,
        NO_COLOR: "1",
      },
    });
  } finally {
    await model.close();
  }
}

/** Adds a login beside the hooks: without one, Gemini CLI ends before its first turn. */
function chooseLogin(file: string): void {
  const settings: unknown = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
  const login = {
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
  };
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ ...(isObject(settings) ? settings : {}), ...login }));
}
