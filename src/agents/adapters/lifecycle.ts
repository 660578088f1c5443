import { arawnLifecycle } from "../../dialects/arawn/adapter/arawn-lifecycle.ts";
import { astridLifecycle } from "../../dialects/astrid/adapter/astrid-lifecycle.ts";
import { polytokenLifecycle } from "../../dialects/polytoken/adapter/polytoken-lifecycle.ts";
import type { LifecycleAdapter } from "../../hook-base/adapter/adapter.ts";
import type { AgentId } from "../../policy/event.ts";
import { claudeLifecycle } from "../claude-code/adapter/claude-code-lifecycle.ts";
import { codexLifecycle } from "../codex/adapter/codex-lifecycle.ts";
import { copilotLifecycle } from "../copilot-cli/adapter/copilot-cli-lifecycle.ts";
import { cursorLifecycle } from "../cursor/adapter/cursor-lifecycle.ts";
import { geminiLifecycle } from "../gemini-cli/adapter/gemini-cli-lifecycle.ts";
import { kiloLifecycle } from "../kilo/adapter/kilo-lifecycle.ts";
import { opencodeLifecycle } from "../opencode/adapter/opencode-lifecycle.ts";
import { piLifecycle } from "../pi/adapter/pi-lifecycle.ts";
import { qwenLifecycle } from "../qwen-code/adapter/qwen-code-lifecycle.ts";

/**
 * What each agent reports about a session besides tool calls; an agent that is missing here reports nothing else. Kept
 * out of `calls.ts` so that no tool call waits for it.
 */
const LIFECYCLE_ADAPTERS: Readonly<Partial<Record<AgentId, LifecycleAdapter>>> = {
  arawn: arawnLifecycle,
  astrid: astridLifecycle,
  "claude-code": claudeLifecycle,
  codex: codexLifecycle,
  "copilot-cli": copilotLifecycle,
  cursor: cursorLifecycle,
  "gemini-cli": geminiLifecycle,
  kilo: kiloLifecycle,
  opencode: opencodeLifecycle,
  pi: piLifecycle,
  polytoken: polytokenLifecycle,
  "qwen-code": qwenLifecycle,
};

export function findLifecycleAdapter(runtime: AgentId): LifecycleAdapter | undefined {
  return LIFECYCLE_ADAPTERS[runtime];
}
