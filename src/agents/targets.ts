import { DIALECTS } from "../dialects/dialects.ts";
import { sortedBy } from "../kernel/order.ts";
import type { AgentId } from "../policy/event.ts";
import type { Target } from "../wiring/target.ts";
import { claudeCodeTarget } from "./claude-code/target.ts";
import { codexTarget } from "./codex/target.ts";
import { copilotCliTarget } from "./copilot-cli/target.ts";
import { cursorTarget } from "./cursor/target.ts";
import { geminiCliTarget } from "./gemini-cli/target.ts";
import { kiloTarget } from "./kilo/target.ts";
import { mastraTarget } from "./mastra/target.ts";
import { opencodeTarget } from "./opencode/target.ts";
import { piTarget } from "./pi/target.ts";
import { qwenCodeTarget } from "./qwen-code/target.ts";

/** Each is loaded when it is needed: most projects have one or two agents. */
const OWN: Readonly<Partial<Record<AgentId, () => Target>>> = {
  "claude-code": () => claudeCodeTarget,
  codex: () => codexTarget,
  "copilot-cli": () => copilotCliTarget,
  cursor: () => cursorTarget,
  "gemini-cli": () => geminiCliTarget,
  kilo: () => kiloTarget,
  mastra: () => mastraTarget,
  opencode: () => opencodeTarget,
  pi: () => piTarget,
  "qwen-code": () => qwenCodeTarget,
};

/**
 * The agents that drwn can wire, including those that come with a foreign hook system. Their events are in `adapters/`.
 */
export function allTargets(): Target[] {
  return sortedBy([...Object.values(OWN).map((load) => load()), ...foreignTargets()], ({ runtime }) => runtime);
}

/** Those of these agents that drwn can wire, sorted by name. */
export function targetsOf(runtimes: readonly AgentId[]): Target[] {
  const asked = [...new Set(runtimes)];
  const own = asked.flatMap((runtime) => OWN[runtime]?.() ?? []);
  const isForeign = asked.some((runtime) => OWN[runtime] === undefined);
  const foreign = isForeign ? foreignTargets().filter(({ runtime }) => asked.includes(runtime)) : [];
  return sortedBy([...own, ...foreign], ({ runtime }) => runtime);
}

function foreignTargets(): Target[] {
  return DIALECTS.flatMap(({ target }) => target ?? []);
}
