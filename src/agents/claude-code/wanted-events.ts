import { literalTools } from "../../card/matcher.ts";
import type { HookPhase } from "../../wiring/launcher.ts";
import { type WantingPolicy, wantedMoments } from "../../wiring/wanted.ts";
import { claudeMoments } from "./adapter/moments.ts";

/** An event and the tools that Claude Code has to report because some policy wants them. */
export interface WantedEvent {
  event: string;
  phase: HookPhase;
  /** Exact tool names joined by `|`, which Claude Code takes as such; null: every tool. */
  matcher: string | null;
}

const EVENTS = [
  { event: "PreToolUse", phase: "pre" },
  { event: "PostToolUse", phase: "post" },
  { event: "PostToolUseFailure", phase: "post" },
] as const;

export function wantedEvents(policies: readonly WantingPolicy[]): WantedEvent[] {
  const tools = EVENTS.flatMap(({ event, phase }): WantedEvent[] => {
    const wanting = policies.filter(({ phases }) => phases.includes(`${phase}-tool`));
    if (wanting.length === 0) return [];
    return [{ event, phase, matcher: toolMatcher(wanting.map(({ matcher }) => matcher)) }];
  });
  const moments = wantedMoments(claudeMoments, policies).map(([phase, event]) => ({ event, phase, matcher: null }));
  return [...tools, ...moments];
}

// Claude Code takes letters, digits, `_`, `-` joined by `|` as exact names, and anything else as an unanchored regular
// expression. The matcher must cover all wanted tools, so any other kind of name makes it cover every tool.
const EXACT_NAME = /^[\w-]+$/u;

function toolMatcher(matchers: readonly (string | null)[]): string | null {
  const tools = new Set<string>();
  for (const matcher of matchers) {
    const literals = matcher === null ? null : literalTools(matcher);
    if (literals === null || !literals.every((tool) => EXACT_NAME.test(tool))) return null;
    for (const tool of literals) tools.add(tool);
  }
  for (const tool of [...tools]) for (const name of namesInCopilot(tool)) tools.add(name);
  return [...tools].sort().join("|");
}

/**
 * Copilot CLI reads such an entry in a project, calls a patch `Edit`, and has its own names for tools of MCP servers.
 */
function namesInCopilot(tool: string): string[] {
  if (tool === "Write") return ["Edit"];
  const [, ...parts] = tool.split("__");
  if (!tool.startsWith("mcp__")) return [];
  return parts.slice(1).map((_, at) => `${parts.slice(0, at + 1).join("__")}-${parts.slice(at + 1).join("__")}`);
}
