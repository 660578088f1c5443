import type { Adapter } from "../../hot/adapter/adapter.ts";
import { arawn } from "../../systems/arawn/adapter/calls.ts";
import { astrid } from "../../systems/astrid/adapter/calls.ts";
import { polytoken } from "../../systems/polytoken/adapter/calls.ts";
import { claudeCode } from "../claude-code/adapter/calls.ts";
import { codex } from "../codex/adapter/calls.ts";
import { copilotCli } from "../copilot-cli/adapter/calls.ts";
import { cursor } from "../cursor/adapter/calls.ts";
import { geminiCli } from "../gemini-cli/adapter/calls.ts";
import { mastra } from "../mastra/adapter/calls.ts";
import { opencode } from "../opencode/adapter/calls.ts";

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
