import { advise, adviseIn, isCommand } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import type { AgentId } from "../policy/event.ts";
import { enclosingProjects } from "../project/open/known-projects.ts";
import { findGlobal } from "../project/open/locate-project.ts";
import { lookAtProject, type OpenProject } from "../project/open/open-project.ts";
import { NOTHING_WRITTEN, readWriteRecord } from "../wiring/write-record.ts";
import { wantedAgents } from "../write/plan-wiring.ts";
import { checkState, checkWritten, findUnwritten } from "./check-state.ts";
import { type ConsentedPolicy, readConsented } from "./consented.ts";
import type { GuardFault } from "./fault.ts";

/** What the projects around this one add: their guards judge the calls here, too. */
export interface EnclosingGuards {
  /** Their folders, the nearest first. */
  roots: string[];
  policies: ConsentedPolicy[];
  /** The agents that they guard. */
  runtimes: AgentId[];
  faults: GuardFault[];
  /** Nobody can tell which policies they are. */
  isUnknown: boolean;
}

export function readEnclosingGuards(host: Host, project: OpenProject): EnclosingGuards {
  const enclosing: EnclosingGuards = { roots: [], policies: [], runtimes: [], faults: [], isUnknown: false };
  for (const { key, folder, project: other } of enclosingProjects(host, project)) {
    if (other === null) {
      enclosing.roots.push(folder);
      enclosing.runtimes.push(...(readWriteRecord(host.drwnHome, key) ?? NOTHING_WRITTEN).runtimes);
      enclosing.isUnknown = true;
      continue;
    }
    const consented = readConsented(host, other);
    if (consented.policies.length === 0 && !other.isLedgerLost) continue;
    const written = readWriteRecord(host.drwnHome, consented.key) ?? NOTHING_WRITTEN;
    const cards = findUnwritten(consented);
    const faults = [
      ...checkWritten(other, { cards, replaced: consented.replaced }),
      ...checkState(host, other, consented),
    ];
    enclosing.roots.push(other.root);
    enclosing.policies.push(...consented.policies);
    enclosing.runtimes.push(...wantedAgents(host, other, { written }).runtimes);
    enclosing.faults.push(...faults.map((fault) => inThere(other.root, fault)));
    enclosing.isUnknown ||= other.isLedgerLost;
  }
  return enclosing;
}

function inThere(root: string, { comesTo, finding }: GuardFault): GuardFault {
  const hint =
    finding.hint !== null && isCommand(finding.hint) ? advise`cd ${shellQuote(root)} && ${finding.hint}` : finding.hint;
  const message = `in ${clean(root, 1000)}, around this folder: ${finding.message}`;
  return { comesTo, finding: { ...finding, message, hint } };
}

/** What holds in every folder judges the calls in a project, too: if the hook cannot read it, it blocks every call. */
export function checkAbove(host: Host, { isGlobal }: OpenProject): GuardFault[] {
  const global = isGlobal ? undefined : findGlobal(host);
  if (global === undefined) return [];
  try {
    const project = lookAtProject(global);
    return checkState(global, project, readConsented(global, project))
      .filter(({ comesTo }) => comesTo === "blocks")
      .map(({ comesTo, finding }) => {
        const message = `in what holds in every folder: ${finding.message}`;
        return { comesTo, finding: { ...adviseIn("global", finding), message } };
      });
  } catch (error) {
    // A command about every folder reports what is wrong with its config or lock.
    if (isProblem(error)) return [];
    throw error;
  }
}
