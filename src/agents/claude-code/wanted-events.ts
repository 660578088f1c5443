import type { HookPhase } from "../../wiring/launcher.ts";
import { type PolicyTrigger, wantedLifecycleEvents } from "../../wiring/policy-triggers.ts";
import { claudeLifecycle } from "./adapter/claude-code-lifecycle.ts";

/** An event that Claude Code has to report because some policy wants it. */
export interface WantedEvent {
  event: string;
  phase: HookPhase;
}

const EVENTS = [
  { event: "PreToolUse", phase: "pre" },
  { event: "PostToolUse", phase: "post" },
  { event: "PostToolUseFailure", phase: "post" },
] as const;

/**
 * Of every tool, since an entry is shared by all policies of a machine, and a tool may be another under a name of its
 * own: which calls a policy sees is for the hook to decide.
 */
export function wantedEvents(policies: readonly PolicyTrigger[]): WantedEvent[] {
  const tools = EVENTS.flatMap(({ event, phase }): WantedEvent[] => {
    const isWanted = policies.some(({ phases }) => phases.includes(`${phase}-tool`));
    return isWanted ? [{ event, phase }] : [];
  });
  const lifecycleAdapter = wantedLifecycleEvents(claudeLifecycle, policies).map(([phase, event]) => ({ event, phase }));
  return [...tools, ...lifecycleAdapter];
}
