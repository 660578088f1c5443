import { arawnPlaces } from "../dialects/arawn/agent/paths.ts";
import { arawnTarget } from "../dialects/arawn/agent/target.ts";
import { astridTarget } from "../dialects/astrid/agent/target.ts";
import { astridPlaces } from "../dialects/astrid/hook/paths.ts";
import { polytokenTarget } from "../dialects/polytoken/agent/target.ts";
import { polytokenPlaces } from "../dialects/polytoken/read/paths.ts";
import { BrokenEvent } from "../hook-base/read-input.ts";
import { sortedBy } from "../kernel/order.ts";
import { AGENT_IDS, type AgentId } from "../policy/event.ts";
import { canaryCall } from "../wiring/canary-call.ts";
import type { Target } from "../wiring/target.ts";
import { findAdapter } from "./adapters.ts";
import { claudeCodePlaces } from "./claude-code/paths.ts";
import { claudeCodeTarget } from "./claude-code/target.ts";
import { codexPlaces } from "./codex/paths.ts";
import { codexTarget } from "./codex/target.ts";
import { copilotPlaces } from "./copilot-cli/paths.ts";
import { copilotCliTarget } from "./copilot-cli/target.ts";
import { cursorPlaces } from "./cursor/paths.ts";
import { cursorTarget } from "./cursor/target.ts";
import { geminiPlaces } from "./gemini-cli/paths.ts";
import { geminiCliTarget } from "./gemini-cli/target.ts";
import { kiloPlaces } from "./kilo/paths.ts";
import { kiloTarget } from "./kilo/target.ts";
import { mastraPlaces } from "./mastra/paths.ts";
import { mastraTarget } from "./mastra/target.ts";
import { opencodePlaces } from "./opencode/paths.ts";
import { opencodeTarget } from "./opencode/target.ts";
import { piPlaces } from "./pi/paths.ts";
import { piTarget } from "./pi/target.ts";
import { qwenPlaces } from "./qwen-code/paths.ts";
import { qwenCodeTarget } from "./qwen-code/target.ts";
import type { AgentPlaces, TranscriptCall, TranscriptReader } from "./transcript/transcript.ts";

interface Agent {
  target: () => Target;
  places: () => AgentPlaces;
}

/**
 * The agents that drwn can wire, including those that come with a foreign hook system. Each is loaded when it is needed: most projects have
 * one or two. Their events are in `adapters.ts`.
 */
const AGENTS: Readonly<Record<AgentId, Agent>> = {
  arawn: { target: () => arawnTarget, places: () => arawnPlaces },
  astrid: { target: () => astridTarget, places: () => astridPlaces },
  "claude-code": { target: () => claudeCodeTarget, places: () => claudeCodePlaces },
  codex: { target: () => codexTarget, places: () => codexPlaces },
  "copilot-cli": { target: () => copilotCliTarget, places: () => copilotPlaces },
  cursor: { target: () => cursorTarget, places: () => cursorPlaces },
  "gemini-cli": { target: () => geminiCliTarget, places: () => geminiPlaces },
  kilo: { target: () => kiloTarget, places: () => kiloPlaces },
  mastra: { target: () => mastraTarget, places: () => mastraPlaces },
  opencode: { target: () => opencodeTarget, places: () => opencodePlaces },
  pi: { target: () => piTarget, places: () => piPlaces },
  polytoken: { target: () => polytokenTarget, places: () => polytokenPlaces },
  "qwen-code": { target: () => qwenCodeTarget, places: () => qwenPlaces },
};

export function allTargets(): Target[] {
  return targetsOf(AGENT_IDS);
}

/** Those of these agents, sorted by name. */
export function targetsOf(runtimes: readonly AgentId[]): Target[] {
  const targets = [...new Set(runtimes)].flatMap((runtime) => AGENTS[runtime]?.target() ?? []);
  return sortedBy(targets, ({ runtime }) => runtime);
}

/** Where each agent is on a machine, sorted by name. */
export function allPlaces(): (AgentPlaces & { runtime: AgentId })[] {
  return AGENT_IDS.map((runtime) => ({ runtime, ...AGENTS[runtime].places() }));
}

/** For each agent whose records of its sessions drwn can read. */
export function transcriptReaders(): TranscriptReader[] {
  return allPlaces().flatMap(({ runtime, transcripts }) =>
    transcripts === undefined ? [] : [{ runtime, ...transcripts }],
  );
}

/**
 * The names under which policies are asked about a call: first its own, as the journal has it, then the names of the
 * calls that it amounts to.
 */
export function callNames({ agent, tool, input, folder = "/" }: TranscriptCall): string[] {
  const [target] = targetsOf([agent]);
  const adapter = findAdapter(agent);
  if (target === undefined || adapter === undefined) return [tool];
  const { event: wire } = canaryCall(target.calls, { root: folder, tool, input });
  try {
    const { toolName, aliases, otherNames, views } = adapter.decode({ ...wire }, "pre-tool");
    return [toolName, ...aliases, ...otherNames, ...views.flatMap((view) => [view.toolName, ...view.aliases])];
  } catch (error) {
    // The hook cannot read it either, and blocks it under its own name.
    if (!(error instanceof BrokenEvent)) throw error;
    return [tool];
  }
}
