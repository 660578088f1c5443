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

/** What agents report about a session besides tool calls. Apart from the adapters of calls: `hook-calls.cjs` holds only those. */
const ADAPTERS: Readonly<Partial<Record<AgentId, () => LifecycleAdapter>>> = {
  arawn: () => arawnLifecycle,
  astrid: () => astridLifecycle,
  "claude-code": () => claudeLifecycle,
  codex: () => codexLifecycle,
  "copilot-cli": () => copilotLifecycle,
  cursor: () => cursorLifecycle,
  "gemini-cli": () => geminiLifecycle,
  kilo: () => kiloLifecycle,
  opencode: () => opencodeLifecycle,
  pi: () => piLifecycle,
  polytoken: () => polytokenLifecycle,
  "qwen-code": () => qwenLifecycle,
};

export function findLifecycleAdapter(runtime: AgentId): LifecycleAdapter | undefined {
  return ADAPTERS[runtime]?.();
}
