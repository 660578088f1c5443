import { type AgentSession, findAncestorSession, findMarkedSession } from "../kernel/agent-session.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { readConsentSettings } from "../registry/settings.ts";
import { activeGrant, readLedgers } from "../trust/ledger-file.ts";

/**
 * Refuses what only a person may do when an agent's tool call does it: an agent that may consent, or silence a guard, has
 * none. `doing` completes "an agent may not …"; `command` is what the person can run in a terminal of their own.
 *
 * It goes by what agents say of themselves. Code that runs as the user can take that away; the machine's settings
 * `consent.ancestry` and `consent.terminal` ask for more.
 */
export function requirePerson(host: Host, doing: string, command: string): void {
  const session = findAgentSession(host);
  if (session !== undefined) throw inAgentSession(session, doing, command);
  if (readConsentSettings(host.drwnHome).terminal) requireTerminal(host, doing, command);
}

/**
 * The same for a new version of a card, where somebody on this machine has consented to its hooks. It would not join, whoever
 * consents and when: what an agent publishes is marked. But it would stand in the way of the version that a person publishes.
 */
export function requirePersonWhereConsented(host: Host, card: string, { doing, command }: PersonsDeed): void {
  if (findAgentSession(host) === undefined && !readConsentSettings(host.drwnHome).terminal) return;
  const isConsented = readLedgers(host.drwnHome).some((ledger) => activeGrant(ledger, card) !== undefined);
  if (isConsented) requirePerson(host, doing, command);
}

interface PersonsDeed {
  /** Completes "an agent may not …". */
  doing: string;
  command: string;
}

/** Refuses what is never to be done by a program on its own. */
export function requireTerminal(host: Host, doing: string, command: string): void {
  if (host.isAtTerminal === true) return;
  throw new Problem("DRWN_TERMINAL_NEEDED", `it takes a person at a terminal to ${doing}`, {
    hint: `in a terminal of your own: ${command}`,
  });
}

/** The agent whose tool call this is; undefined: a person's command, as far as can be seen. */
export function findAgentSession(host: Host): AgentSession | undefined {
  // Of an agent's command that became root's, the environment says nothing.
  const ancestry = host.scope === "system" || readConsentSettings(host.drwnHome).ancestry;
  return findMarkedSession(host.env) ?? (ancestry ? findAncestorSession(process.pid) : undefined);
}

/** Whose command this is, as far as can be seen; null: the machine asks for a terminal wherever a person is meant, and there is none. */
export function findActor(host: Host): "person" | "agent" | null {
  if (findAgentSession(host) !== undefined) return "agent";
  return readConsentSettings(host.drwnHome).terminal && host.isAtTerminal !== true ? null : "person";
}

export function inAgentSession(session: AgentSession, doing: string, command: string): Problem {
  return new Problem("DRWN_AGENT_SESSION", `an agent may not ${doing}`, {
    details: [`this is a tool call of ${session.agent}, since ${session.evidence}`],
    hint: `a person can, in a terminal of their own: ${command}`,
  });
}
