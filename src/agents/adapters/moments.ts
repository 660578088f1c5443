import type { LifecycleAdapter } from "../../hot/adapter/adapter.ts";
import type { AgentId } from "../../policy/event.ts";
import { arawnLifecycle } from "../../systems/arawn/adapter/moments.ts";
import { astridLifecycle } from "../../systems/astrid/adapter/moments.ts";
import { polytokenLifecycle } from "../../systems/polytoken/adapter/moments.ts";
import { claudeLifecycle } from "../claude-code/adapter/moments.ts";
import { codexLifecycle } from "../codex/adapter/moments.ts";
import { copilotLifecycle } from "../copilot-cli/adapter/moments.ts";
import { cursorLifecycle } from "../cursor/adapter/moments.ts";
import { geminiLifecycle } from "../gemini-cli/adapter/moments.ts";
import { opencodeLifecycle } from "../opencode/adapter/moments.ts";

/**
 * What each agent reports about a session besides tool calls; an agent that is missing here reports nothing else. Kept
 * out of `calls.ts` so that no tool call waits for it.
 */
const MOMENTS: Readonly<Partial<Record<AgentId, LifecycleAdapter>>> = {
  arawn: arawnLifecycle,
  astrid: astridLifecycle,
  "claude-code": claudeLifecycle,
  codex: codexLifecycle,
  "copilot-cli": copilotLifecycle,
  cursor: cursorLifecycle,
  "gemini-cli": geminiLifecycle,
  opencode: opencodeLifecycle,
  polytoken: polytokenLifecycle,
};

export function findLifecycleAdapter(runtime: AgentId): LifecycleAdapter | undefined {
  return MOMENTS[runtime];
}
