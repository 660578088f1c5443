import type { Moments } from "../../hot/adapter/adapter.ts";
import type { Runtime } from "../../policy/event.ts";
import { arawnMoments } from "../../systems/arawn/adapter/moments.ts";
import { astridMoments } from "../../systems/astrid/adapter/moments.ts";
import { polytokenMoments } from "../../systems/polytoken/adapter/moments.ts";
import { claudeMoments } from "../claude-code/adapter/moments.ts";
import { codexMoments } from "../codex/adapter/moments.ts";
import { copilotMoments } from "../copilot-cli/adapter/moments.ts";
import { cursorMoments } from "../cursor/adapter/moments.ts";
import { geminiMoments } from "../gemini-cli/adapter/moments.ts";
import { opencodeMoments } from "../opencode/adapter/moments.ts";

/**
 * What each agent reports about a session besides tool calls; an agent that is missing here reports nothing else. Kept
 * out of `calls.ts` so that no tool call waits for it.
 */
const MOMENTS: Readonly<Partial<Record<Runtime, Moments>>> = {
  arawn: arawnMoments,
  astrid: astridMoments,
  "claude-code": claudeMoments,
  codex: codexMoments,
  "copilot-cli": copilotMoments,
  cursor: cursorMoments,
  "gemini-cli": geminiMoments,
  opencode: opencodeMoments,
  polytoken: polytokenMoments,
};

export function findMoments(runtime: Runtime): Moments | undefined {
  return MOMENTS[runtime];
}
