import fs from "node:fs";
import { findAdapter } from "../agents/adapters/calls.ts";
import type { Finding } from "../kernel/finding.ts";
import { findClosed, findNotRoots } from "../kernel/roots-own.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import type { Runtime } from "../policy/event.ts";
import type { CheckRequest, Target } from "../wiring/target.ts";
import type { GuardFault } from "./fault.ts";

/** As people call it. */
export function titleOf(runtime: Runtime): string {
  return findAdapter(runtime)?.title ?? runtime;
}

/** What an agent's own file or program has to say against its hooks. What could not be read may say anything. */
export function faultsAmong(findings: readonly Finding[]): GuardFault[] {
  return findings.flatMap((finding): GuardFault[] => {
    const isOpen = finding.code === "hooks-prefixed" && finding.severity === "warning";
    if (isOpen || UNREAD.has(finding.code)) return [{ comesTo: "hides", finding }];
    if (finding.severity !== "error") return [];
    return [{ comesTo: "opens", finding }];
  });
}

/** An entry of root's that others can change may be another one soon; one that users can't read their agents don't have. */
export function checkRootsEntry(file: string): Finding[] {
  const severity = "error";
  const changed = findNotRoots(file);
  if (changed !== null) {
    const { file: at, fault } = changed;
    const place = shellQuote(at);
    const message = `root's entry holds every user, and ${clean(at, 1000)} ${fault}`;
    const hint = `look at what is in it, then: sudo chown -h root ${place} && sudo chmod go-w ${place}`;
    return [{ code: "entry-not-roots", severity, subject: file, message, hint }];
  }
  const closed = findClosed(file);
  if (closed === null) return [];
  const message = `agents of users can't read ${clean(closed, 1000)}, and so run no hook of root's`;
  return [{ code: "entry-closed", severity, subject: file, message, hint: `sudo chmod go+rX ${shellQuote(closed)}` }];
}

/** What even root's entry does not withstand. */
export function findWaysRound(place: CheckRequest, target: Target): Finding[] {
  const ways = target.waysRound?.(place) ?? [];
  return ways.map((way) => ({ code: "way-round", severity: "warning", subject: place.file, ...way }));
}

/** Of a file that the agent reads only in the project's own folder: a session in a folder below has no guard. */
export function notReadIn(cwd: string, root: string, findings: readonly Finding[]): GuardFault[] {
  if (fs.realpathSync(cwd) === root) return [];
  return findings.filter(({ code }) => code === "start-folder").map((finding) => ({ comesTo: "opens", finding }));
}

/** What may change or replace the answer of the hook, and what could not be read: nobody can tell what comes of either. */
const UNREAD = new Set([
  "settings-unreadable",
  "entry-not-roots",
  "mod-can-overrule",
  "plugin-beside",
  "project-hook-beside",
  "profile-without-hooks",
]);
