import { advise, type Text } from "../../kernel/advice.ts";
import { type AgentSession, findAncestorSession, findMarkedSession } from "../../kernel/agent-session.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { readConsentSettings } from "../../registry/settings.ts";
import { activeGrant, readLedgers } from "../../trust/ledger-file.ts";

/**
 * Refuses what only a person may do if an agent's tool call does it: an agent that can consent or silence a guard isn't
 * guarded. `doing` completes "an agent may not …"; `command` is what the person can run in their own terminal.
 *
 * It relies on what agents say about themselves, which code that runs as the user can hide; the machine's settings
 * `consent.ancestry` and `consent.terminal` demand more.
 */
export function requirePerson(host: Host, doing: string, command: Text): void {
  const session = findAgentSession(host);
  if (session !== undefined) throw inAgentSession(session, doing, command);
  if (readConsentSettings(host.drwnHome).terminal) requireTerminal(host, doing, command);
}

/**
 * The same for a new version of a card, if somebody on this machine has consented to its hooks. An agent's version is
 * marked, so it would never join a consent, but it would take the place of the version that a person publishes.
 */
export function requirePersonWhereConsented(host: Host, card: string, { doing, command }: PersonAction): void {
  if (findAgentSession(host) === undefined && !readConsentSettings(host.drwnHome).terminal) return;
  const isConsented = readLedgers(host.drwnHome).some((ledger) => activeGrant(ledger, card) !== undefined);
  if (isConsented) requirePerson(host, doing, command);
}

interface PersonAction {
  /** Completes "an agent may not …". */
  doing: string;
  command: Text;
}

/** Refuses what a program must never do by itself. */
export function requireTerminal(host: Host, doing: string, command: Text): void {
  if (host.isAtTerminal === true) return;
  throw new Problem("DRWN_TERMINAL_NEEDED", `it takes a person at a terminal to ${doing}`, {
    hint: advise`in a terminal of your own: ${command}`,
  });
}

/** The agent whose tool call this is; undefined: a person's command, as far as drwn can tell. */
export function findAgentSession(host: Host): AgentSession | undefined {
  // If an agent's command became root's, the environment doesn't show the agent.
  const ancestry = host.scope === "system" || readConsentSettings(host.drwnHome).ancestry;
  return findMarkedSession(host.env) ?? (ancestry ? findAncestorSession(process.pid) : undefined);
}

/** Whose command this is, as far as drwn can tell; null: a person's commands need a terminal here, and there is none. */
export function findActor(host: Host): "person" | "agent" | null {
  if (findAgentSession(host) !== undefined) return "agent";
  return readConsentSettings(host.drwnHome).terminal && host.isAtTerminal !== true ? null : "person";
}

export function inAgentSession(session: AgentSession, doing: string, command: Text): Problem {
  return new Problem("DRWN_AGENT_SESSION", `an agent may not ${doing}`, {
    details: [`this is a tool call of ${session.agent}, since ${session.evidence}`],
    hint: advise`a person can, in a terminal of their own: ${command}`,
  });
}
