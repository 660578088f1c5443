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

/**
 * The adapters of the agents whose events the hook process answers; a command loads only those that it needs. Their
 * settings are in `targets.ts`.
 */
const ADAPTERS: Readonly<Record<string, () => Adapter>> = {
  arawn: () => arawn,
  astrid: () => astrid,
  "claude-code": () => claudeCode,
  codex: () => codex,
  "copilot-cli": () => copilotCli,
  cursor: () => cursor,
  "gemini-cli": () => geminiCli,
  mastra: () => mastra,
  opencode: () => opencode,
  polytoken: () => polytoken,
};

export function allAdapters(): Adapter[] {
  return Object.values(ADAPTERS).map((load) => load());
}

export function findAdapter(runtime: string): Adapter | undefined {
  return Object.hasOwn(ADAPTERS, runtime) ? ADAPTERS[runtime]?.() : undefined;
}
