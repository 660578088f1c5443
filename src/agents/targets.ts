import { sortedBy } from "../kernel/order.ts";
import type { Runtime } from "../policy/event.ts";
import { DIALECTS } from "../systems/systems.ts";
import type { Target } from "../wiring/target.ts";
import { claudeCodeTarget } from "./claude-code/target.ts";
import { codexTarget } from "./codex/target.ts";
import { copilotCliTarget } from "./copilot-cli/target.ts";
import { cursorTarget } from "./cursor/target.ts";
import { geminiCliTarget } from "./gemini-cli/target.ts";
import { mastraTarget } from "./mastra/target.ts";
import { opencodeTarget } from "./opencode/target.ts";

const OWN: readonly Target[] = [
  claudeCodeTarget,
  codexTarget,
  copilotCliTarget,
  cursorTarget,
  geminiCliTarget,
  mastraTarget,
  opencodeTarget,
];

/** The agents that drwn can wire, those that come with a foreign hook system included. Their events are in `adapters/`. */
export const TARGETS: readonly Target[] = sortedBy(
  [...OWN, ...DIALECTS.flatMap(({ target }) => target ?? [])],
  ({ runtime }) => runtime,
);

/** Those of these agents that drwn can wire, in the order of the list. */
export function targetsOf(runtimes: readonly Runtime[]): Target[] {
  return TARGETS.filter(({ runtime }) => runtimes.includes(runtime));
}
