import { arawn } from "../../dialects/arawn/adapter/arawn-calls.ts";
import { astrid } from "../../dialects/astrid/adapter/astrid-calls.ts";
import { polytoken } from "../../dialects/polytoken/adapter/polytoken-calls.ts";
import type { Adapter } from "../../hook-base/adapter/adapter.ts";
import { AGENT_IDS, type AgentId } from "../../policy/event.ts";
import { claudeCode } from "../claude-code/adapter/claude-code-calls.ts";
import { codex } from "../codex/adapter/codex-calls.ts";
import { copilotCli } from "../copilot-cli/adapter/copilot-cli-calls.ts";
import { cursor } from "../cursor/adapter/cursor-calls.ts";
import { geminiCli } from "../gemini-cli/adapter/gemini-cli-calls.ts";
import { kilo } from "../kilo/adapter/kilo-calls.ts";
import { mastra } from "../mastra/adapter/mastra-calls.ts";
import { opencode } from "../opencode/adapter/opencode-calls.ts";
import { pi } from "../pi/adapter/pi-calls.ts";
import { qwenCode } from "../qwen-code/adapter/qwen-code-calls.ts";

/**
 * The adapters of the agents whose tool calls the hook process answers; a command loads only those that it needs. Their
 * settings are in `targets.ts`.
 */
const ADAPTERS: Readonly<Record<AgentId, () => Adapter>> = {
  arawn: () => arawn,
  astrid: () => astrid,
  "claude-code": () => claudeCode,
  codex: () => codex,
  "copilot-cli": () => copilotCli,
  cursor: () => cursor,
  "gemini-cli": () => geminiCli,
  kilo: () => kilo,
  mastra: () => mastra,
  opencode: () => opencode,
  pi: () => pi,
  polytoken: () => polytoken,
  "qwen-code": () => qwenCode,
};

export function allAdapters(): Adapter[] {
  return AGENT_IDS.map((runtime) => ADAPTERS[runtime]());
}

export function findAdapter(runtime: string): Adapter | undefined {
  return Object.hasOwn(ADAPTERS, runtime) ? ADAPTERS[runtime as AgentId]() : undefined;
}
