import fs from "node:fs";
import type { Finding } from "../kernel/finding.ts";
import type { Target } from "../wiring/target.ts";
import type { GuardFault } from "./fault.ts";

/** What an agent's own file or program has to say against its hooks. What could not be read may say anything. */
export function faultsAmong(findings: readonly Finding[]): GuardFault[] {
  return findings.flatMap((finding): GuardFault[] => {
    const isOpen = finding.code === "hooks-prefixed" && finding.severity === "warning";
    if (isOpen || UNREAD.has(finding.code)) return [{ comesTo: "hides", finding }];
    if (finding.severity !== "error") return [];
    return [{ comesTo: finding.code === "hook-does-not-answer" ? "hides" : "opens", finding }];
  });
}

/** What even root's entry does not withstand. */
export function waysRound(file: string, { waysRound = [] }: Target): Finding[] {
  return waysRound.map((way) => ({ code: "way-round", severity: "warning", subject: file, ...way }));
}

/** Of a file that the agent reads only in the project's own folder: a session in a folder below has no guard. */
export function notReadIn(cwd: string, root: string, findings: readonly Finding[]): GuardFault[] {
  if (fs.realpathSync(cwd) === root) return [];
  return findings.filter(({ code }) => code === "start-folder").map((finding) => ({ comesTo: "opens", finding }));
}

/** What may change or replace the answer of the hook, and what could not be read: nobody can tell what comes of either. */
const UNREAD = new Set([
  "settings-unreadable",
  "mod-can-overrule",
  "plugin-beside",
  "project-hook-beside",
  "profile-without-hooks",
]);
