import { arawn } from "../../dialects/arawn/adapter/arawn-calls.ts";
import { arawnLifecycle } from "../../dialects/arawn/adapter/arawn-lifecycle.ts";
import { astrid } from "../../dialects/astrid/adapter/astrid-calls.ts";
import { astridLifecycle } from "../../dialects/astrid/adapter/astrid-lifecycle.ts";
import { polytoken } from "../../dialects/polytoken/adapter/polytoken-calls.ts";
import { polytokenLifecycle } from "../../dialects/polytoken/adapter/polytoken-lifecycle.ts";
import type { Adapter, LifecycleAdapter } from "../../hook-base/adapter/adapter.ts";
import { AGENT_IDS, type AgentId } from "../../policy/event.ts";
import { claudeCode } from "../claude-code/adapter/claude-code-calls.ts";
import { claudeLifecycle } from "../claude-code/adapter/claude-code-lifecycle.ts";
import { codex } from "../codex/adapter/codex-calls.ts";
import { codexLifecycle } from "../codex/adapter/codex-lifecycle.ts";
import { copilotCli } from "../copilot-cli/adapter/copilot-cli-calls.ts";
import { copilotLifecycle } from "../copilot-cli/adapter/copilot-cli-lifecycle.ts";
import { cursor } from "../cursor/adapter/cursor-calls.ts";
import { cursorLifecycle } from "../cursor/adapter/cursor-lifecycle.ts";
import { geminiCli } from "../gemini-cli/adapter/gemini-cli-calls.ts";
import { geminiLifecycle } from "../gemini-cli/adapter/gemini-cli-lifecycle.ts";
import { kilo } from "../kilo/adapter/kilo-calls.ts";
import { kiloLifecycle } from "../kilo/adapter/kilo-lifecycle.ts";
import { mastra } from "../mastra/adapter/mastra-calls.ts";
import { opencode } from "../opencode/adapter/opencode-calls.ts";
import { opencodeLifecycle } from "../opencode/adapter/opencode-lifecycle.ts";
import { pi } from "../pi/adapter/pi-calls.ts";
import { piLifecycle } from "../pi/adapter/pi-lifecycle.ts";
import { qwenCode } from "../qwen-code/adapter/qwen-code-calls.ts";
import { qwenLifecycle } from "../qwen-code/adapter/qwen-code-lifecycle.ts";

interface Adapters {
  calls: () => Adapter;
  /** What the agent reports about a session besides tool calls. Absent: nothing. */
  lifecycle?: () => LifecycleAdapter;
}

/**
 * The adapters of the agents whose events the hook process answers; a command loads only those that it needs. Their
 * settings are in `targets.ts`.
 */
const ADAPTERS: Readonly<Record<AgentId, Adapters>> = {
  arawn: { calls: () => arawn, lifecycle: () => arawnLifecycle },
  astrid: { calls: () => astrid, lifecycle: () => astridLifecycle },
  "claude-code": { calls: () => claudeCode, lifecycle: () => claudeLifecycle },
  codex: { calls: () => codex, lifecycle: () => codexLifecycle },
  "copilot-cli": { calls: () => copilotCli, lifecycle: () => copilotLifecycle },
  cursor: { calls: () => cursor, lifecycle: () => cursorLifecycle },
  "gemini-cli": { calls: () => geminiCli, lifecycle: () => geminiLifecycle },
  kilo: { calls: () => kilo, lifecycle: () => kiloLifecycle },
  mastra: { calls: () => mastra },
  opencode: { calls: () => opencode, lifecycle: () => opencodeLifecycle },
  pi: { calls: () => pi, lifecycle: () => piLifecycle },
  polytoken: { calls: () => polytoken, lifecycle: () => polytokenLifecycle },
  "qwen-code": { calls: () => qwenCode, lifecycle: () => qwenLifecycle },
};

export function allAdapters(): Adapter[] {
  return AGENT_IDS.map((runtime) => ADAPTERS[runtime].calls());
}

export function findAdapter(runtime: string): Adapter | undefined {
  return Object.hasOwn(ADAPTERS, runtime) ? ADAPTERS[runtime as AgentId].calls() : undefined;
}

export function findLifecycleAdapter(runtime: AgentId): LifecycleAdapter | undefined {
  return ADAPTERS[runtime]?.lifecycle?.();
}
