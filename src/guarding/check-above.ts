import { adviseForEveryFolder } from "../kernel/every-folder.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { findGlobal } from "../workspace/locate-project.ts";
import { lookAtProject, type OpenProject } from "../workspace/open-project.ts";
import { checkState } from "./check-state.ts";
import { readConsented } from "./consented.ts";
import type { GuardFault } from "./fault.ts";

/** Every call in a project is judged by what holds in every folder, too: where that cannot be read, it is blocked. */
export function checkAbove(host: Host, { isGlobal }: OpenProject): GuardFault[] {
  const global = isGlobal ? undefined : findGlobal(host);
  if (global === undefined) return [];
  try {
    const project = lookAtProject(global);
    return checkState(global, project, readConsented(global, project))
      .filter(({ comesTo }) => comesTo === "blocks")
      .map(({ comesTo, finding }) => {
        const message = `of what holds in every folder: ${finding.message}`;
        return { comesTo, finding: { ...adviseForEveryFolder(finding), message } };
      });
  } catch (error) {
    // What is wrong with what was asked for there is said of it.
    if (isProblem(error)) return [];
    throw error;
  }
}
