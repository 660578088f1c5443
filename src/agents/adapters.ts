import type { Adapter } from "./adapter.ts";
import { arawn } from "./arawn/adapter.ts";
import { astrid } from "./astrid/adapter.ts";
import { claudeCode } from "./claude-code/adapter.ts";
import { codex } from "./codex/adapter.ts";
import { copilotCli } from "./copilot-cli/adapter.ts";
import { cursor } from "./cursor/adapter.ts";
import { geminiCli } from "./gemini-cli/adapter.ts";
import { mastra } from "./mastra/adapter.ts";
import { opencode } from "./opencode/adapter.ts";
import { polytoken } from "./polytoken/adapter.ts";

/** The agents whose events the hook process answers. Their settings are in `targets.ts`. */
export const ADAPTERS: readonly Adapter[] = [
  arawn,
  astrid,
  claudeCode,
  codex,
  copilotCli,
  cursor,
  geminiCli,
  mastra,
  opencode,
  polytoken,
];

export function findAdapter(runtime: string): Adapter | undefined {
  return ADAPTERS.find((adapter) => adapter.runtime === runtime);
}
