import { drwn, type Text } from "../kernel/advice.ts";
import type { Finding } from "../kernel/problem.ts";
import type { AgentId } from "../policy/event.ts";
import type { ConsentState } from "./consented.ts";

/**
 * What happens to a call that a policy with a consent here denies: it is held (`guarded`), every call is held
 * (`blocked`), it runs (`unguarded`), it runs because a person said so (`paused`), nobody can tell (`unknown`), or no
 * policy here holds anything (`watched`).
 */
export type AgentState = "guarded" | "watched" | "blocked" | "paused" | "unknown" | "unguarded";

export interface GuardedAgent {
  runtime: AgentId;
  /** The name that people use for it. */
  title: string;
  state: AgentState;
  /** The file with the entry that the machine's owner has put there; null: the entry of the user or the project counts. */
  managedFile: string | null;
  /** The cards of which a policy with a consent here is for it. */
  cards: string[];
  /** It is on this machine; false: drwn wires it only because somebody asked for it. */
  isFound: boolean;
  /** Why it isn't guarded, or not by everything in the last consent; null: it is. */
  because: Pick<Finding, "message" | "hint"> | null;
}

/** The one answer to whether this folder is guarded, by what, in which agent, and if not, why. */
export interface Guarding {
  /** Everything that was consented to or is required is in force, as far as anybody can tell. */
  ok: boolean;
  /** The agents that the project guards; none if nobody has consented to a policy. */
  agents: GuardedAgent[];
  /** Agents of this machine that a person left out by choosing others. */
  leftOut: Pick<GuardedAgent, "runtime" | "title">[];
  /** The cards with policies that were consented to but aren't in force. */
  notInForce: string[];
  /** Versions that were consented to, and the ones that decide instead until the next `write`. */
  replaced: ConsentState["replaced"];
  /** The folders of the projects around this one whose guards judge the calls here, too; the nearest first. */
  enclosing: string[];
  /** What is wrong, and what a person should look at, without repetitions. */
  findings: Finding[];
  /** The agents that didn't say what they loaded, each with why; absent: nobody asked, or all said it. */
  notAsked?: string[];
}

/** Of the agents on this machine, those in which a card's policies are in force, and those in which they aren't. */
export function agentsByState(
  { agents, leftOut }: Pick<Guarding, "agents" | "leftOut">,
  card: string,
): { inForce: string[]; not: string[] } {
  const here = agents.filter(({ cards, isFound }) => isFound && cards.includes(card));
  const holds = ({ state }: GuardedAgent) => state === "guarded" || state === "watched";
  const titles = (some: Pick<GuardedAgent, "title">[]) => some.map(({ title }) => title);
  return { inForce: titles(here.filter(holds)), not: titles([...here.filter((agent) => !holds(agent)), ...leftOut]) };
}

/** The command that guards these agents in addition to the others. */
export function commandToAdd(agents: readonly Pick<GuardedAgent, "runtime">[]): Text {
  return drwn("write", ...agents.map(({ runtime }) => `--also ${runtime}`));
}
