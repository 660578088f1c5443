import fs from "node:fs";
import { findAdapter } from "../agents/adapters.ts";
import { drwn, type Text } from "../kernel/advice.ts";
import type { Finding } from "../kernel/problem.ts";
import { findNotOwnedByRoot, findUnreadable } from "../kernel/root-ownership.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import type { AgentId } from "../policy/event.ts";
import type { CheckRequest, Target } from "../wiring/target.ts";

/**
 * What a fault leads to: a call that a policy would deny runs (`opens`), nobody here can tell (`hides`), no policy runs
 * because a person said so (`pauses`), no call runs (`blocks`), a version decides that is earlier than the last consent
 * (`lags`), or a person should merely look at it (`nothing`).
 */
export type Consequence = "opens" | "hides" | "pauses" | "blocks" | "lags" | "nothing";

/** Something about a guard that isn't as it should be. */
export interface GuardFault {
  comesTo: Consequence;
  finding: Finding;
}

/** `drwn write` would fix it. */
export const NOT_WRITTEN = "not-written";

/** Somebody consented to policies, but no agent was found to run them. */
export const NO_AGENT = "no-agent";

export function faultFinding(code: string, subject: string, message: string, hint: Text): Finding {
  return { code, severity: "error", subject, message, hint };
}

/** Whether the fault means that a guard isn't in force; that nobody could look at something doesn't. */
export function breaksGuard({ comesTo, finding }: GuardFault): boolean {
  return comesTo !== "nothing" && (comesTo !== "hides" || finding.severity === "error");
}

/** Nothing runs the policies that were consented to, and an agent that is installed later would run without them. */
export function noAgent(root: string): GuardFault {
  const message = "no agent was found on this machine, and nobody named one";
  return { comesTo: "opens", finding: faultFinding(NO_AGENT, root, message, drwn("write", "--also", "claude-code")) };
}

/** The name that people use for it. */
export function titleOf(runtime: AgentId): string {
  return findAdapter(runtime)?.title ?? runtime;
}

/**
 * Findings about an agent's own file or program, as faults of its hooks. A file that drwn can't read may turn them off.
 */
export function faultsAmong(findings: readonly Finding[]): GuardFault[] {
  return findings.flatMap((finding): GuardFault[] => {
    const isOpen = OPEN.has(finding.code) && finding.severity === "warning";
    if (isOpen || UNREAD.has(finding.code)) return [{ comesTo: "hides", finding }];
    if (finding.severity !== "error") return [];
    return [{ comesTo: "opens", finding }];
  });
}

/**
 * If others can change root's entry, it may be another one soon. If users can't read it, their agents don't have it.
 */
export function checkManagedEntry(file: string): Finding[] {
  const severity = "error";
  const changed = findNotOwnedByRoot(file);
  if (changed !== null) {
    const { file: at, fault } = changed;
    const place = shellQuote(at);
    const message = `root's entry holds every user, but ${clean(at, 1000)} ${fault}`;
    const hint = `look at what is in it, then: sudo chown -h root ${place} && sudo chmod go-w ${place}`;
    return [{ code: "managed-entry-unsafe", severity, subject: file, message, hint }];
  }
  const closed = findUnreadable(file);
  if (closed === null) return [];
  const message = `users' agents can't read ${clean(closed, 1000)}, so they don't run root's hook`;
  return [
    {
      code: "managed-entry-unreadable",
      severity,
      subject: file,
      message,
      hint: `sudo chmod go+rX ${shellQuote(closed)}`,
    },
  ];
}

/** Ways round that work even against root's entry. */
export function findBypasses(place: CheckRequest, target: Target): Finding[] {
  const ways = target.findBypasses?.(place) ?? [];
  return ways.map((way) => ({ code: "bypass", severity: "warning", subject: place.file, ...way }));
}

/** The agent reads some files only in the project's own folder: a session that starts in a folder below has no guard. */
export function notReadIn(cwd: string, root: string, findings: readonly Finding[]): GuardFault[] {
  if (fs.realpathSync(cwd) === root) return [];
  return findings.filter(({ code }) => code === "start-folder").map((finding) => ({ comesTo: "opens", finding }));
}

/** As a warning, nobody can tell what it leads to. */
const OPEN = new Set(["hooks-prefixed", "settings-unreadable"]);

/** What may change or replace the hook's answer: nobody can tell what it leads to. */
const UNREAD = new Set(["managed-entry-unsafe", "other-plugin", "other-project-hook"]);
