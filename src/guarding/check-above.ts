import { adviseIn } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { findGlobal } from "../workspace/locate-project.ts";
import { lookAtProject, type OpenProject } from "../workspace/open-project.ts";
import { checkState } from "./check-state.ts";
import { readConsented } from "./consented.ts";
import type { GuardFault } from "./fault.ts";

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
