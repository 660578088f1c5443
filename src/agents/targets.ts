import type { Runtime } from "../policy/event.ts";
import { arawnTarget } from "../systems/arawn/agent/target.ts";
import { astridTarget } from "../systems/astrid/agent/target.ts";
import { polytokenTarget } from "../systems/polytoken/agent/target.ts";
import type { Target } from "../wiring/target.ts";
import { claudeCodeTarget } from "./claude-code/target.ts";
import { codexTarget } from "./codex/target.ts";
import { copilotCliTarget } from "./copilot-cli/target.ts";
import { cursorTarget } from "./cursor/target.ts";
import { geminiCliTarget } from "./gemini-cli/target.ts";
import { mastraTarget } from "./mastra/target.ts";
import { opencodeTarget } from "./opencode/target.ts";

/** The agents that drwn can wire. Their events are in `adapters.ts`. */
export const TARGETS: readonly Target[] = [
  arawnTarget,
  astridTarget,
  claudeCodeTarget,
  codexTarget,
  copilotCliTarget,
  cursorTarget,
  geminiCliTarget,
  mastraTarget,
  opencodeTarget,
  polytokenTarget,
];

/** Those of these agents that drwn can wire, in the order of the list. */
export function targetsOf(runtimes: readonly Runtime[]): Target[] {
  return TARGETS.filter(({ runtime }) => runtimes.includes(runtime));
}
