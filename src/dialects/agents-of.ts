import { nameIn } from "../policy/event-names.ts";
import type { LifecycleEvent } from "../policy/taxonomy.ts";

/** The agents that tell a card of more than tool calls. */
const AGENTS = ["claude-code", "codex", "polytoken"] as const;

/** Where an imported hook of this event is asked. */
export function describeReach(event: LifecycleEvent): string {
  const agents = AGENTS.filter((agent) => nameIn(agent, event) !== undefined);
  return `its event is ${event}; active on: ${agents.length === 0 ? "runner only" : agents.join(", ")}`;
}
