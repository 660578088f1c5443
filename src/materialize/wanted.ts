import { literalTools } from "../card/matcher.ts";
import { DEADLINES, type PlannedPolicy } from "../contract/plan.ts";

/** What of a policy says which events it has to be called for. */
export type WantingPolicy = Pick<PlannedPolicy, "matcher" | "phases">;

/** An event, and the tools, that some policy wants: what an agent has to be asked to report. */
export interface WantedEntry {
  event: "PreToolUse" | "PostToolUse" | "PostToolUseFailure";
  phase: "pre" | "post";
  /** Exact tool names joined by `|`, which Claude Code takes as such; null: every tool. */
  matcher: string | null;
}

const EVENTS = [
  { event: "PreToolUse", phase: "pre", wants: "pre-tool" },
  { event: "PostToolUse", phase: "post", wants: "post-tool" },
  { event: "PostToolUseFailure", phase: "post", wants: "post-tool" },
] as const;

export function wantedEntries(policies: readonly WantingPolicy[]): WantedEntry[] {
  return EVENTS.flatMap(({ event, phase, wants }) => {
    const wanting = policies.filter((policy) => policy.phases.includes(wants));
    if (wanting.length === 0) return [];
    return [{ event, phase, matcher: toolMatcher(wanting.map(({ matcher }) => matcher)) }];
  });
}

/** Seconds that an agent is asked to wait for the hook. */
export const AGENT_TIMEOUT_SECONDS = DEADLINES.agent / 1000;

// Claude Code takes letters, digits, `_`, `-` joined by `|` as exact names, and anything else as an unanchored regular
// expression. Only a superset of the wanted tools may be registered, so whatever is no such name opens it to every tool.
const EXACT_NAME = /^[\w-]+$/u;

function toolMatcher(matchers: readonly (string | null)[]): string | null {
  const tools = new Set<string>();
  for (const matcher of matchers) {
    const literals = matcher === null ? null : literalTools(matcher);
    if (literals === null || !literals.every((tool) => EXACT_NAME.test(tool))) return null;
    for (const tool of literals) tools.add(tool);
  }
  return [...tools].sort().join("|");
}
