import { arawn, arawnLifecycle } from "../dialects/arawn/adapter.ts";
import { astrid, astridLifecycle } from "../dialects/astrid/adapter.ts";
import { polytoken, polytokenLifecycle } from "../dialects/polytoken/adapter.ts";
import type { Adapter, LifecycleAdapter } from "../hook-base/adapter/adapter.ts";
import { AGENT_IDS, type AgentId } from "../policy/event.ts";
import { claudeCode, claudeLifecycle } from "./claude-code/adapter.ts";
import { codex, codexLifecycle } from "./codex/adapter.ts";
import { copilotCli, copilotLifecycle } from "./copilot-cli/adapter.ts";
import { cursor, cursorLifecycle } from "./cursor/adapter.ts";
import { geminiCli, geminiLifecycle } from "./gemini-cli/adapter.ts";
import { kilo, kiloLifecycle } from "./kilo/adapter.ts";
import { mastra } from "./mastra/adapter.ts";
import { opencode, opencodeLifecycle } from "./opencode/adapter.ts";
import { pi, piLifecycle } from "./pi/adapter.ts";
import { qwenCode, qwenLifecycle } from "./qwen-code/adapter.ts";

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

/** What agents report about a session besides tool calls; null: nothing. Another table, since `hook-calls.cjs` holds only the first. */
const LIFECYCLE_ADAPTERS: Readonly<Record<AgentId, (() => LifecycleAdapter) | null>> = {
  arawn: () => arawnLifecycle,
  astrid: () => astridLifecycle,
  "claude-code": () => claudeLifecycle,
  codex: () => codexLifecycle,
  "copilot-cli": () => copilotLifecycle,
  cursor: () => cursorLifecycle,
  "gemini-cli": () => geminiLifecycle,
  kilo: () => kiloLifecycle,
  mastra: null,
  opencode: () => opencodeLifecycle,
  pi: () => piLifecycle,
  polytoken: () => polytokenLifecycle,
  "qwen-code": () => qwenLifecycle,
};

export function findLifecycleAdapter(runtime: AgentId): LifecycleAdapter | undefined {
  return LIFECYCLE_ADAPTERS[runtime]?.();
}
