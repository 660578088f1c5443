import { findAgents } from "../agents/found.ts";
import type { Host } from "../kernel/host.ts";
import type { AgentId } from "../policy/event.ts";
import type { WriteRecord } from "../wiring/write-record.ts";
import type { OpenProject } from "../workspace/open-project.ts";

/** Which agents a person asked `write` to guard from now on. */
export interface AgentChoice {
  /** Exactly these; `all`: no choice any more, so those that are asked for or found. */
  runtimes?: readonly (AgentId | "all")[] | undefined;
  /** These, too. */
  also?: readonly AgentId[] | undefined;
}

export interface WantedAgents {
  /** The agents to guard. */
  runtimes: AgentId[];
  /** The same, if a person chose them. */
  chosen: AgentId[] | undefined;
  /** Agents of this machine, or for every user, those that drwn can guard. */
  found: AgentId[];
}

interface WantedRequest {
  written: Pick<WriteRecord, "chosen" | "runtimes">;
  choice?: AgentChoice | undefined;
}

/**
 * A person's choice decides; without one, the agents that are found, those that the project asks for, and those that are
 * wired: a checkout must not end a guard.
 */
export function wantedAgents(
  host: Host,
  { root, isGlobal, config }: Pick<OpenProject, "config" | "isGlobal" | "root">,
  { written, choice: { runtimes: asked, also = [] } = {} }: WantedRequest,
): WantedAgents {
  const found = findAgents(host, { root, isGlobal });
  const isFreed = asked?.includes("all") === true;
  const named = asked?.filter((runtime) => runtime !== "all");
  const former = isGlobal ? config.runtimes : written.chosen;
  const exact = isFreed ? undefined : (named ?? former);
  if (exact !== undefined) {
    const chosen = sorted([...exact, ...also]);
    return { runtimes: chosen, chosen, found };
  }
  const wired = isFreed ? [] : written.runtimes;
  const requested = isGlobal ? [] : (config.runtimes ?? []);
  return { runtimes: sorted([...found, ...requested, ...wired, ...(named ?? []), ...also]), chosen: undefined, found };
}

function sorted(runtimes: readonly AgentId[]): AgentId[] {
  return [...new Set(runtimes)].sort();
}
